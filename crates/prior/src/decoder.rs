//! The decoder: what it computes of tokens. A transformer with norms by the root mean square before attention and before the
//! feed-forward network (Zhang and Sennrich, *Root Mean Square Layer Normalization*, 2019), rotary positions (Su and others,
//! *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2021) and SwiGLU (Shazeer, *GLU Variants Improve
//! Transformer*, 2020).

use anyhow::{Context as _, Result, ensure};
use safetensors::tensor::{Dtype, SafeTensors};

use super::matrix::{Matrix, dot};

const LAYERS: usize = 6;
const WIDTH: usize = 256;
const HEADS: usize = 4;
/// Numbers of a head.
const HEAD: usize = WIDTH / HEADS;
/// Numbers between the two matrices of the feed-forward network.
const INNER: usize = 640;
/// The wavelengths of the rotations grow from 2π tokens nearly to 2π times this many.
const ROTATION_BASE: f32 = 10_000.0;
/// Keeps a norm from dividing by 0.
const EPSILON: f32 = 1e-5;

#[derive(Debug)]
pub struct Decoder {
    /// A row for each token; its transpose makes the output.
    embedding: Matrix,
    norm: Vec<f32>,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Layer {
    norms: [Vec<f32>; 2],
    queries_keys_values: Matrix,
    attended: Matrix,
    gates_and_values: Matrix,
    down: Matrix,
}

/// What the decoder keeps of tokens that it has read.
#[derive(Debug, Default)]
pub struct State {
    length: usize,
    /// Keys and values of each layer, [`WIDTH`] numbers for each token.
    layers: [[Vec<f32>; 2]; LAYERS],
    /// The last token's output.
    last: Vec<f32>,
}

impl Decoder {
    /// Reads the weights.
    ///
    /// # Errors
    /// If a tensor is missing or has another type.
    pub fn new(data: &[u8]) -> Result<Self> {
        let tensors = SafeTensors::deserialize(data)?;
        let layer = |at: usize| -> Result<Layer> {
            let name = |part: &str| format!("b.{at}.{part}");
            Ok(Layer {
                norms: [
                    floats(&tensors, &name("n1.w"))?,
                    floats(&tensors, &name("n2.w"))?,
                ],
                queries_keys_values: matrix(&tensors, &name("qkv.weight"))?,
                attended: matrix(&tensors, &name("o.weight"))?,
                gates_and_values: matrix(&tensors, &name("g.weight"))?,
                down: matrix(&tensors, &name("d.weight"))?,
            })
        };
        Ok(Self {
            embedding: matrix(&tensors, "e.weight")?,
            norm: floats(&tensors, "n.w")?,
            layers: (0..LAYERS).map(layer).collect::<Result<_>>()?,
        })
    }

    /// What is kept of these tokens, of which there is at least one, after what was read before.
    pub fn read(&self, before: &State, tokens: &[u16]) -> State {
        let (mut state, outputs) = self.run(before, tokens);
        state.last = outputs[outputs.len() - WIDTH..].to_vec();
        state
    }

    /// The logarithm of the probability that these tokens follow.
    pub fn log_probability(&self, before: &State, tokens: &[u16]) -> f64 {
        let Some((last, others)) = tokens.split_last() else {
            return 0.0;
        };
        let (_, outputs) = self.run(before, others);
        let scores = self.embedding.times(&[&*before.last, &outputs].concat());
        let tokens = scores.len() / (others.len() + 1);
        let next = others.iter().chain([last]);
        scores
            .chunks_exact(tokens)
            .zip(next)
            .map(|(scores, next)| log_probability_of_one(scores, *next))
            .sum()
    }

    /// Keys and values of these tokens, and their outputs.
    fn run(&self, before: &State, tokens: &[u16]) -> (State, Vec<f32>) {
        let mut state = State {
            length: before.length + tokens.len(),
            ..State::default()
        };
        let turns: Vec<Turn> = (before.length..state.length).map(turn).collect();
        let embedded = tokens.iter();
        let embedded = embedded.flat_map(|token| self.embedding.row(usize::from(*token)));
        let mut stream: Vec<f32> = embedded.copied().collect();
        let layers = self.layers.iter().zip(&mut state.layers);
        for ((layer, kept), earlier) in layers.zip(&before.layers) {
            let normed = normed(&stream, &layer.norms[0]);
            let all = layer.queries_keys_values.times(&normed);
            let mut queries = Vec::with_capacity(stream.len());
            for (token, turn) in all.chunks_exact(3 * WIDTH).zip(&turns) {
                queries.extend(rotated(&token[..WIDTH], turn));
                kept[0].extend(rotated(&token[WIDTH..2 * WIDTH], turn));
                kept[1].extend(&token[2 * WIDTH..]);
            }
            add(
                &mut stream,
                &layer.attended.times(&attention(&queries, earlier, kept)),
            );
            let normed = self::normed(&stream, &layer.norms[1]);
            let inner = layer.gates_and_values.times(&normed);
            let gated = inner.chunks_exact(2 * INNER).flat_map(|token| {
                let (gates, values) = token.split_at(INNER);
                gates
                    .iter()
                    .zip(values)
                    .map(|(gate, value)| silu(*gate) * value)
            });
            let gated: Vec<f32> = gated.collect();
            add(&mut stream, &layer.down.times(&gated));
        }
        (state, normed(&stream, &self.norm))
    }
}

fn log_probability_of_one(scores: &[f32], token: u16) -> f64 {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    f64::from(scores[usize::from(token)] - most - sum.ln())
}

/// For each query the mean of the values up to its token, each weighted by how well its key fits, head by head.
fn attention(queries: &[f32], earlier: &[Vec<f32>; 2], own: &[Vec<f32>; 2]) -> Vec<f32> {
    let mut means = vec![0.0; queries.len()];
    let mut weights: Vec<f32> = Vec::new();
    let tokens = queries
        .chunks_exact(WIDTH)
        .zip(means.chunks_exact_mut(WIDTH));
    for (at, (query, mean)) in tokens.enumerate() {
        for head in 0..HEADS {
            let of_head = head * HEAD..(head + 1) * HEAD;
            let seen = |which: usize| {
                let own = own[which].chunks_exact(WIDTH).take(at + 1);
                earlier[which].chunks_exact(WIDTH).chain(own)
            };
            let query = &query[of_head.clone()];
            weights.clear();
            weights.extend(
                seen(0).map(|key| dot(query, &key[of_head.clone()]) / (HEAD as f32).sqrt()),
            );
            let most = weights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            weights.iter_mut().for_each(|it| *it = (*it - most).exp());
            let sum: f32 = weights.iter().sum();
            let mean = &mut mean[of_head.clone()];
            for (weight, value) in weights.iter().zip(seen(1)) {
                for (mean, value) in mean.iter_mut().zip(&value[of_head.clone()]) {
                    *mean += weight / sum * value;
                }
            }
        }
    }
    means
}

/// The sines and cosines of the angles by which a token is turned, which grow with its position.
type Turn = [(f32, f32); HEAD / 2];

fn turn(position: usize) -> Turn {
    std::array::from_fn(|nth| {
        let half = HEAD / 2;
        let angle = position as f32 * ROTATION_BASE.powf(-(nth as f32) / half as f32);
        angle.sin_cos()
    })
}

/// Each head's first half as abscissas, its second half as ordinates, turned.
fn rotated(token: &[f32], turn: &Turn) -> Vec<f32> {
    let mut turned = token.to_vec();
    for head in turned.chunks_exact_mut(HEAD) {
        let (first, second) = head.split_at_mut(HEAD / 2);
        for ((x, y), (sine, cosine)) in first.iter_mut().zip(second).zip(turn) {
            (*x, *y) = (*x * cosine - *y * sine, *x * sine + *y * cosine);
        }
    }
    turned
}

fn normed(stream: &[f32], weights: &[f32]) -> Vec<f32> {
    let tokens = stream.chunks_exact(WIDTH).flat_map(|token| {
        let scale = (dot(token, token) / WIDTH as f32 + EPSILON).sqrt();
        token
            .iter()
            .zip(weights)
            .map(move |(it, weight)| it / scale * weight)
    });
    tokens.collect()
}

fn silu(number: f32) -> f32 {
    number / (1.0 + (-number).exp())
}

fn add(stream: &mut [f32], update: &[f32]) {
    stream
        .iter_mut()
        .zip(update)
        .for_each(|(it, more)| *it += more);
}

fn floats(tensors: &SafeTensors, name: &str) -> Result<Vec<f32>> {
    let tensor = tensors.tensor(name).with_context(|| name.to_owned())?;
    ensure!(tensor.dtype() == Dtype::F32, "{name} has other numbers");
    let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
    Ok(tensor.data().as_chunks().0.iter().map(number).collect())
}

/// A matrix of int8 rows with a scale each.
fn matrix(tensors: &SafeTensors, name: &str) -> Result<Matrix> {
    let tensor = tensors.tensor(name).with_context(|| name.to_owned())?;
    ensure!(tensor.dtype() == Dtype::I8, "{name} has other numbers");
    let width = *tensor.shape().last().context("no matrix")?;
    let scales = floats(tensors, &format!("{name}.scale"))?;
    let rows = tensor.data().chunks_exact(width).zip(scales);
    let numbers = rows.flat_map(|(row, scale)| {
        row.iter()
            .map(move |byte| f32::from(byte.cast_signed()) * scale)
    });
    Ok(Matrix {
        width,
        numbers: numbers.collect(),
    })
}
