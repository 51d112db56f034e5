//! Matrices of numbers, and products with them.

/// Numbers that are added independently of each other, so that a processor can add them at once. The order of additions is
/// fixed, so that every processor has the same result.
const LANES: usize = 8;
/// Inputs that one row is multiplied with at once: their sums do not wait for each other.
const AT_ONCE: usize = 4;
/// Inputs that stay in a processor's nearest memory while all rows pass.
const NEAR: usize = 4 * AT_ONCE;

/// Rows of numbers.
#[derive(Debug)]
pub struct Matrix {
    /// Numbers in a row: a multiple of [`LANES`].
    pub width: usize,
    /// Row after row.
    pub numbers: Vec<f32>,
}

impl Matrix {
    /// The product of each row of `inputs`, as wide as this matrix, with each row of this matrix.
    pub fn times(&self, inputs: &[f32]) -> Vec<f32> {
        let rows = self.numbers.len() / self.width;
        let mut products = vec![0.0; inputs.len() / self.width * rows];
        let near = inputs.chunks(NEAR * self.width);
        for (inputs, products) in near.zip(products.chunks_mut(NEAR * rows)) {
            let together = inputs.chunks(AT_ONCE * self.width);
            let together: Vec<_> = together.map(|some| beside(some, self.width)).collect();
            for (row, weights) in self.numbers.chunks_exact(self.width).enumerate() {
                for (inputs, products) in together.iter().zip(products.chunks_mut(AT_ONCE * rows)) {
                    let sums = dots(weights, inputs);
                    let outputs = products.iter_mut().skip(row).step_by(rows);
                    outputs.zip(sums).for_each(|(output, sum)| *output = sum);
                }
            }
        }
        products
    }

    /// One row.
    pub fn row(&self, at: usize) -> &[f32] {
        &self.numbers[at * self.width..][..self.width]
    }
}

/// The sum of the products of numbers at the same place; there are a multiple of [`LANES`].
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// The numbers of some inputs that are multiplied with the same weight, side by side; zeros for missing inputs.
fn beside(inputs: &[f32], width: usize) -> Vec<[f32; AT_ONCE]> {
    let mut beside = vec![[0.0; AT_ONCE]; width];
    for (nth, input) in inputs.chunks_exact(width).enumerate() {
        for (beside, number) in beside.iter_mut().zip(input) {
            beside[nth] = *number;
        }
    }
    beside
}

/// As [`dot`], of a row with several inputs side by side.
fn dots(weights: &[f32], inputs: &[[f32; AT_ONCE]]) -> [f32; AT_ONCE] {
    let mut sums = [[0.0; AT_ONCE]; LANES];
    let inputs = inputs.as_chunks::<LANES>().0;
    for (weights, inputs) in weights.as_chunks::<LANES>().0.iter().zip(inputs) {
        for ((sums, weight), numbers) in sums.iter_mut().zip(weights).zip(inputs) {
            for (sum, number) in sums.iter_mut().zip(numbers) {
                *sum += weight * number;
            }
        }
    }
    let mut all = [0.0; AT_ONCE];
    for sums in sums {
        for (all, sum) in all.iter_mut().zip(sums) {
            *all += sum;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_multiplied_with_each_input() {
        let number = |at: usize| (at * 37 % 101) as f32 / 7.0;
        let matrix = Matrix {
            width: 2 * LANES,
            numbers: (0..3 * 2 * LANES).map(number).collect(),
        };
        for count in [1, AT_ONCE, AT_ONCE + 3, NEAR, NEAR + AT_ONCE + 1] {
            let inputs: Vec<f32> = (5..).map(number).take(count * matrix.width).collect();
            let each = inputs.chunks_exact(matrix.width);
            let alone = each.flat_map(|input| (0..3).map(|row| dot(matrix.row(row), input)));
            assert_eq!(matrix.times(&inputs), alone.collect::<Vec<f32>>());
        }
    }
}
