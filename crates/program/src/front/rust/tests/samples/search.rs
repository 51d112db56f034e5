//! A search in a sorted slice.

fn find(xs: &[i32], key: i32) -> Option<usize> {
    let mut low = 0;
    let mut high = xs.len();
    while low < high {
        let middle = low + (high - low) / 2;
        if xs[middle] == key {
            return Some(middle);
        } else if xs[middle] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    None
}

fn find_by_order(xs: &[i32], key: i32) -> Result2 {
    use std::cmp::Ordering;
    let (mut low, mut high) = (0usize, xs.len());
    while low < high {
        let middle = (low + high) / 2;
        match xs[middle].cmp(&key) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Result2 { found: true, at: middle },
        }
    }
    Result2 { found: false, at: low }
}

#[derive(Debug, PartialEq, Clone, Copy)]
struct Result2 {
    found: bool,
    at: usize,
}

fn maximum(xs: &[i32]) -> Option<i32> {
    let mut best = None;
    for &x in xs {
        best = match best {
            Some(old) if old >= x => Some(old),
            _ => Some(x),
        };
    }
    best
}

fn max_of_array(xs: [i32; 4]) -> i32 {
    let mut max = xs[0];
    for i in 1..xs.len() {
        if xs[i] > max {
            max = xs[i];
        }
    }
    max
}

fn off_by_one(xs: &[i32]) -> i32 {
    let mut sum = 0;
    for i in 0..=xs.len() {
        sum += xs[i];
    }
    sum
}

fn head_sum(xs: &[i32], n: usize) -> i32 {
    let mut sum = 0;
    let head = &xs[..n];
    let mut i = 0;
    while i <= head.len() {
        if i == head.len() {
            break;
        }
        sum += head[i];
        i += 1;
    }
    sum
}

fn past_head(xs: &[i32], n: usize) -> i32 {
    let head = &xs[..n];
    head[n]
}

fn sort(xs: &mut [i32]) {
    let n = xs.len();
    for i in 0..n {
        for j in 0..n - 1 - i {
            if xs[j] > xs[j + 1] {
                xs.swap(j, j + 1);
            }
        }
    }
}

fn insertion(xs: &mut [i32; 5]) {
    for i in 1..5 {
        let key = xs[i];
        let mut j = i;
        while j > 0 && xs[j - 1] > key {
            xs[j] = xs[j - 1];
            j -= 1;
        }
        xs[j] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds() {
        let xs = [1, 3, 5, 7, 9];
        assert_eq!(find(&xs, 7), Some(3));
        assert_eq!(find(&xs, 4), None);
        assert_eq!(find(&[], 4), None);
        assert!(find(&xs[1..3], 3) == Some(0));
        assert_eq!(find_by_order(&xs, 9), Result2 { found: true, at: 4 });
        assert_eq!(find_by_order(&xs, 8), Result2 { at: 4, found: false });
        assert_ne!(find_by_order(&xs, 8).at, 3);
    }

    #[test]
    fn maxima() {
        assert_eq!(maximum(&[3, 9, 2]), Some(9));
        assert_eq!(maximum(&[]), None);
        assert_eq!(max_of_array([4, -1, 8, 2]), 8);
    }

    #[test]
    fn sorts() {
        let mut xs = [5, 2, 9, 1];
        sort(&mut xs);
        assert_eq!(xs, [1, 2, 5, 9]);
        let mut few = [3, 1];
        sort(&mut few[..]);
        assert_eq!(few, [1, 3]);
        let mut five = [9, 8, 7, 6, 5];
        insertion(&mut five);
        assert_eq!(five, [5, 6, 7, 8, 9]);
        assert_eq!(head_sum(&five, 2), 11);
    }

    #[test]
    fn fails_out_of_bounds() {
        off_by_one(&[1, 2, 3]);
    }

    #[test]
    fn fails_out_of_the_slice() {
        past_head(&[1, 2, 3], 2);
    }

    #[test]
    fn fails_to_slice() {
        head_sum(&[1, 2, 3], 4);
    }
}
