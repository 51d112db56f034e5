//! Matrices of numbers, and products with them.

/// Numbers that are added independently of each other, so that a processor can add them at once. The order of additions is
/// fixed, so that every processor has the same result.
const LANES: usize = 8;

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
        for (row, weights) in self.numbers.chunks_exact(self.width).enumerate() {
            let outputs = products.iter_mut().skip(row).step_by(rows);
            for (input, output) in inputs.chunks_exact(self.width).zip(outputs) {
                *output = dot(weights, input);
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
