"""The built-in problems: what they declare, and that they load."""

from math import prod
from pathlib import Path

import numpy as np
import pytest

from grader.check.trivial import accepted_trivial_kernels
from grader.core.plan import Launch, Memset
from grader.problem import find_problems, load_problem
from grader.problem.harness import build_plan

PROBLEMS = Path(__file__).parents[1] / "problems"
SIGNATURES = {
    "matmul": "matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K)",
    "reduce": "reduction_kernel(const float* input, float* output, int N)",
    "map": "map_kernel(const float* input, float* output, int N)",
    "zip": "zip_kernel(const float* a, const float* b, float* output, int N)",
    "transpose": "transpose_kernel(const float* input, float* output, int M, int N)",
    "dot_product": "dot_product_kernel(const float* a, const float* b, float* output, int N)",
    "gemv": "gemv_kernel(const float* A, const float* x, float* y, int M, int N)",
    "swiglu": "swiglu_kernel(const float* gate, const float* value, float* output, int N)",
    "convolution_1d": "convolution_kernel(const float* input, const float* weights, float* output, int N, int K)",
    "convolution_2d": "convolution_kernel(const float* input, const float* weights, float* output, "
    "int H, int W, int R, int S)",
    "batched_matmul": "batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K)",
    "prefix_sum": "prefix_sum_kernel(const float* input, float* output, int M, int N)",
    "gelu": "gelu_kernel(const float* input, float* output, int N)",
    "stencil_2d": "stencil_kernel(const float* input, float* output, int H, int W)",
    "softmax": "softmax_kernel(const float* input, float* output, int M, int N)",
    "layer_norm": "layer_norm_kernel(const float* input, const float* weight, const float* bias, float* output, int"
    " M, int N)",
    "rms_norm": "rms_norm_kernel(const float* input, const float* weight, float* output, int M, int N)",
    "colour_inversion": "invert_kernel(const unsigned char* input, unsigned char* output, int H, int W)",
    "image_blur": "blur_kernel(const unsigned char* input, unsigned char* output, int H, int W, int R)",
    "argmax": "argmax_kernel(const float* input, int* output, int M, int N)",
    "histogram": "histogram_kernel(const int* input, int* histogram, int N, int BINS)",
    "spmv_csr": "spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* "
    "y, int M, int N, int NNZ)",
    "monte_carlo": "monte_carlo_kernel(const int* x, const int* y, int* inside, int N)",
    "kmeans_step": "kmeans_kernel(const int* points, const int* centres, int* labels, int* sums, int* counts, int N,"
    " int K)",
    "attention": "attention_kernel(const float* Q, const float* K, const float* V, float* output, int N, int D, "
    "int causal)",
    "top_k": "top_k_kernel(const float* input, float* output, int M, int N, int K)",
    "matmul_fp16": "matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K)",
    "matmul_int8": "matmul_int8_kernel(const signed char* A, const signed char* B, const float* scale, signed char* "
    "C, int M, int N, int K)",
    "breadth_first_search": "bfs_kernel(const int* offsets, const int* neighbours, int* distance, int V, int DEGREE)",
    "bitonic_sort": "bitonic_sort_kernel(const float* input, float* output, int N)",
    "radix_sort": "radix_sort_kernel(const unsigned int* keys, const int* values, unsigned int* sorted_keys, int* "
    "sorted_values, int N)",
    "exclusive_scan": "exclusive_scan_kernel(const int* input, int* output, int N)",
    "segmented_scan": "segmented_scan_kernel(const int* input, const int* heads, int* output, int N)",
    "prefix_max": "prefix_max_kernel(const int* input, int* output, int N)",
    "reduce_by_key": "reduce_by_key_kernel(const int* keys, const int* values, int* run_keys, int* sums, int* count, "
    "int N)",
    "run_length_encode": "rle_kernel(const int* input, int* symbols, int* lengths, int* count, int N)",
    "stream_compaction": "compaction_kernel(const float* input, float* output, int* count, int N)",
    "base64": "base64_kernel(const unsigned char* input, unsigned char* output, int N)",
    "hash_table_lookup": "hash_table_kernel(const int* keys, const int* queries, int* places, int N, int Q)",
    "smith_waterman": "alignment_kernel(const unsigned char* a, const unsigned char* b, int* score, int PAIRS, "
    "int N, int M)",
    "sha256": "sha256_kernel(const unsigned char* messages, unsigned char* digests, int COUNT, int LENGTH)",
    "coo_to_csr": "coo_to_csr_kernel(const int* rows, const int* columns, const float* values, int* offsets, int* "
    "sorted_columns, float* sorted_values, int M, int N, int NNZ)",
    "spmm": "spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, "
    "float* C, int M, int N, int K, int DEGREE)",
    "shortest_paths": "shortest_paths_kernel(const int* offsets, const int* neighbours, const int* weights, int* "
    "distance, int V, int DEGREE)",
    "grouped_matmul": "grouped_matmul_kernel(const float* X, const float* W, const int* offsets, float* Y, int T, "
    "int G, int K, int N)",
    "edit_distance": "edit_distance_kernel(const unsigned char* a, const unsigned char* b, int* distance, int "
    "PAIRS, int N, int M)",
    "triangle_count": "triangle_kernel(const int* offsets, const int* neighbours, long long* count, int V, int DEGREE)",
    "connected_components": "components_kernel(const int* a, const int* b, int* label, int V, int E)",
    "strided_map": "mapKernel(float* out, const int* out_shape, const int* out_strides, int out_size, const float* "
    "in_storage, const int* in_shape, const int* in_strides, int shape_size, int fn_id)",
    "strided_zip": "zipKernel(float* out, const int* out_shape, const int* out_strides, int out_size, const float* "
    "a_storage, const int* a_shape, const int* a_strides, const float* b_storage, const int* b_shape,"
    " const int* b_strides, int shape_size, int fn_id)",
    "strided_reduce": "reduceKernel(float* out, const int* out_shape, const int* out_strides, int out_size, const "
    "float* a_storage, const int* a_shape, const int* a_strides, int reduce_dim, int reduce_size, int"
    " shape_size, int fn_id)",
    "strided_matmul": "matmulKernel(float* out, const int* out_strides, const float* a_storage, const int* a_shape, "
    "const int* a_strides, const float* b_storage, const int* b_shape, const int* b_strides, int "
    "BATCH, int M, int N, int K)",
    "max_pooling_2d": "max_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int "
    "P, int OH, int OW)",
    "average_pooling_2d": "average_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int "
    "S, int P, int OH, int OW)",
    "depthwise_convolution": "depthwise_kernel(const float* input, const float* weights, float* output, int B, "
    "int C, int H, int W, int K)",
    "cross_entropy": "cross_entropy_kernel(const float* logits, const int* labels, float* loss, int M, int N)",
    "rope": "rope_kernel(const float* input, const float* cosines, const float* sines, const int* positions, "
    "float* output, int T, int HEADS, int HALF, int LENGTH)",
    "adam_step": "adam_kernel(const float* weight, const float* gradient, const float* first, const float* "
    "second, float* new_weight, float* new_first, float* new_second, int N, float rate, float beta1, float "
    "beta2, float epsilon, float decay, float bias1, float bias2)",
    "embedding": "embedding_kernel(const int* tokens, const float* words, const float* places, float* output, "
    "int B, int T, int V, int D)",
    "softmax_backward": "softmax_backward_kernel(const float* output, const float* upstream, float* gradient, "
    "int M, int N)",
    "conv3x3": "conv3x3_kernel(const float* input, const float* weights, float* output, int B, int C, int F, "
    "int H, int W)",
    "im2col": "im2col_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P, int "
    "OH, int OW)",
    "game_of_life": "life_kernel(const unsigned char* cells, unsigned char* next, int H, int W)",
    "heat_3d": "heat_kernel(const float* heat, float* next, float alpha, int D, int H, int W)",
    "histogram_floats": "histogram_floats_kernel(const float* input, const float* edges, int* histogram, int* "
    "outside, int N, int BINS)",
    "quantize_int8": "quantize_kernel(const float* input, signed char* quantized, float* scales, float* "
    "restored, int M, int N)",
    "n_body": "n_body_kernel(const float* bodies, float* acceleration, float softening, int N)",
    "median_filter": "median_kernel(const unsigned char* input, unsigned char* output, int H, int W)",
    "sobel": "sobel_kernel(const unsigned char* input, unsigned char* output, int H, int W)",
    "bilinear_resize": "resize_kernel(const float* input, float* output, int H, int W, int OH, int OW)",
    "layer_norm_backward": "layer_norm_backward_kernel(const float* input, const float* weight, const float* "
    "mean, const float* inverse, const float* upstream, float* gradient, float* weight_gradient, float* "
    "bias_gradient, int M, int N)",
    "cross_entropy_backward": "cross_entropy_backward_kernel(const float* logits, const int* labels, const "
    "float* upstream, float* gradient, int M, int N)",
    "mandelbrot": "mandelbrot_kernel(const int* real, const int* imaginary, int* steps, int H, int W, int LIMIT)",
    "ray_sphere": "rays_kernel(const float* origins, const float* directions, const float* centres, const float* "
    "radii, float* distance, int R, int S)",
    "triangular_solve": "triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift)",
    "cholesky_small": "cholesky_kernel(const float* A, float* L, int BATCH, int N, float ridge)",
    "lu": "lu_kernel(const float* A, float* LU, int N)",
    "gru_step": "gru_kernel(const float* x, const float* h, const float* W, const float* U, const float* w_bias, "
    "const float* u_bias, float* next, int B, int D, int H)",
    "matrix_power": "power_kernel(const unsigned int* A, const int* exponents, unsigned int* C, int BATCH, int N)",
    "stencil_blocked": "steps_kernel(const float* input, float* output, int H, int W, int STEPS, float rate)",
    "fft": "fft_kernel(const float* input, float* output, int ROWS, int LOG)",
    "rfft": "rfft_kernel(const float* input, float* output, int ROWS, int LOG)",
    "merge_sort": "merge_sort_kernel(const int* keys, int* sorted_keys, int* places, int N)",
    "batch_norm": "batch_norm_kernel(const float* input, const float* weight, const float* bias, float* "
    "output, float* mean, float* variance, int B, int C, int L)",
    "embedding_backward": "embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, "
    "int N, int V, int D)",
    "kv_cache_update": "kv_cache_kernel(const int* lengths, const float* new_keys, const float* "
    "new_values, const float* old_keys, const float* old_values, float* keys, float* "
    "values, int B, int T, int H, int S, int D)",
    "matmul_fp8": "matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* "
    "scale_a, const float* scale_b, __nv_bfloat16* C, int M, int N, int K)",
    "moe_routing": "moe_routing_kernel(const float* logits, int* experts, float* weights, int* "
    "places, int* counts, int T, int E, int K)",
    "top_p_sampling": "top_p_kernel(const int* weights, const int* shares, const unsigned int* draws, "
    "int* tokens, int M, int N)",
    "beam_step": "beam_step_kernel(const float* scores, const float* steps, float* new_scores, "
    "int* parents, int* tokens, int S, int B, int V)",
    "attention_backward": "attention_backward_kernel(const float* Q, const float* K, const float* V, const float* "
    "upstream, float* dQ, float* dK, float* dV, int H, int N, int D, int causal)",
    "paged_attention": "paged_attention_kernel(const float* queries, const float* keys, const float* "
    "values, const int* table, const int* lengths, float* output, int S, int H, int "
    "D, int T, int P)",
    "attention_fp16": "attention_fp16_kernel(const half* Q, const half* K, const half* V, half* output, int H, int "
    "N, int D)",
}


@pytest.fixture(scope="module", params=find_problems([PROBLEMS]))
def problem(request):
    return load_problem(PROBLEMS / request.param)


def plan_of(problem, sizes, **constants):
    names = [*problem.inputs, *problem.outputs]
    addresses = {name: 4096 * (i + 1) for i, name in enumerate(names)}
    return build_plan(problem, {**problem.constants, **constants}, sizes, addresses).steps


def test_the_signatures_are_those_of_all_problems():
    assert set(SIGNATURES) == set(find_problems([PROBLEMS]))


def test_kernel_signature(problem):
    assert problem.signature == SIGNATURES[problem.name]


def test_statement_and_starter_are_read(problem):
    assert problem.statement.strip()
    assert problem.kernel in problem.starter


def test_benchmarks_fit_a_large_gpu_and_are_worth_timing(problem):
    sizes = [problem.array_bytes(benchmark) for benchmark in problem.benchmarks]
    assert len(sizes) >= 2
    assert max(sizes) <= 1_000_000_000
    # More than most L2 caches hold, or so much arithmetic for each byte that memory is not what is timed.
    work = max(problem.cost_of(benchmark).flops / problem.array_bytes(benchmark) for benchmark in problem.benchmarks)
    assert max(sizes) >= 50_000_000 or work >= 100


HALF_A_MATRIX = {"cholesky_small": "A", "triangular_solve": "A"}
"""Arrays of which only what stands on and below the diagonal has to be read."""


def test_cost_counts_every_byte_once(problem):
    for benchmark in problem.benchmarks:
        unread = 0
        if problem.name in HALF_A_MATRIX:
            *many, rows, columns = problem.inputs[HALF_A_MATRIX[problem.name]].shape(benchmark)
            unread = 4 * prod(many) * rows * (columns - 1) // 2
        assert problem.cost_of(benchmark).bytes == problem.array_bytes(benchmark) - unread


@pytest.mark.parametrize("seed", range(3))
def test_no_trivial_kernel_is_accepted(problem, seed):
    assert accepted_trivial_kernels(problem, seed) == ()


def test_matmul_launch():
    problem = load_problem(PROBLEMS / "matmul")
    (launch,) = plan_of(problem, {"M": 33, "N": 5, "K": 100})
    assert (launch.block, launch.grid) == ((16, 16, 1), (7, 3, 1))
    (launch,) = plan_of(problem, {"M": 33, "N": 5, "K": 100}, TILE=32)
    assert (launch.block, launch.grid) == ((32, 32, 1), (4, 2, 1))


@pytest.mark.parametrize(("n", "grid"), [(1, 1), (256, 1), (257, 2), (1024 * 256 + 1, 1024)])
def test_reduce_clears_the_output_and_caps_the_grid(n, grid):
    clear, launch = plan_of(load_problem(PROBLEMS / "reduce"), {"N": n})
    assert isinstance(clear, Memset)
    assert (clear.value, clear.size) == (0, 4)
    assert isinstance(launch, Launch)
    assert (launch.block, launch.grid) == ((256, 1, 1), (grid, 1, 1))


@pytest.mark.parametrize("name", ["map", "zip"])
def test_elementwise_launch(name):
    (launch,) = plan_of(load_problem(PROBLEMS / name), {"N": 1000}, BLOCK=128)
    assert (launch.block, launch.grid) == ((128, 1, 1), (8, 1, 1))


def test_transpose_launch():
    (launch,) = plan_of(load_problem(PROBLEMS / "transpose"), {"M": 33, "N": 100}, TILE=32, ROWS=8)
    assert (launch.block, launch.grid) == ((32, 8, 1), (4, 2, 1))


def test_two_dimensional_launches():
    (launch,) = plan_of(load_problem(PROBLEMS / "convolution_2d"), {"H": 33, "W": 100, "R": 3, "S": 5})
    assert (launch.block, launch.grid) == ((16, 16, 1), (7, 3, 1))
    (launch,) = plan_of(load_problem(PROBLEMS / "batched_matmul"), {"BATCH": 9, "M": 33, "N": 5, "K": 100})
    assert (launch.block, launch.grid) == ((16, 16, 1), (7, 3, 9))


@pytest.mark.parametrize(
    ("name", "sizes", "grid"),
    [
        ("dot_product", {"N": 1_000_000}, 1024),
        ("gemv", {"M": 9, "N": 5}, 2),
        ("swiglu", {"N": 257}, 2),
        ("convolution_1d", {"N": 257, "K": 9}, 2),
        ("prefix_sum", {"M": 9, "N": 5000}, 9),
    ],
)
def test_launch_in_rows_of_threads(name, sizes, grid):
    launch = plan_of(load_problem(PROBLEMS / name), sizes)[-1]
    assert (launch.block, launch.grid) == ((256, 1, 1), (grid, 1, 1))


@pytest.mark.parametrize(
    ("name", "inputs", "sizes", "expected"),
    [
        ("transpose", {"input": [[1, 2, 3], [4, 5, 6]]}, {"M": 2, "N": 3}, [[1, 4], [2, 5], [3, 6]]),
        ("dot_product", {"a": [1, 2, 3, 4], "b": [10, 0, -1, 2]}, {"N": 4}, [15]),
        ("gemv", {"A": [[1, 2, 3], [4, 5, 6]], "x": [1, 0, 1]}, {"M": 2, "N": 3}, [4, 10]),
        (
            "convolution_1d",
            {"input": [1, 2, 3, 4, 5], "weights": [1, 10, 100]},
            {"N": 5, "K": 3},
            [210, 321, 432, 543, 54],
        ),
        ("convolution_1d", {"input": [1, 2, 3], "weights": [1, 10]}, {"N": 3, "K": 2}, [10, 21, 32]),
        ("convolution_1d", {"input": [3], "weights": [1, 10, 100, 1000, 10000]}, {"N": 1, "K": 5}, [300]),
        (
            "convolution_2d",
            {"input": [[1, 2, 3], [4, 5, 6]], "weights": [[0, 1, 0], [1, 1, 1], [0, 1, 0]]},
            {"H": 2, "W": 3, "R": 3, "S": 3},
            [[7, 11, 11], [10, 17, 14]],
        ),
        (
            "convolution_2d",
            {"input": [[1, 2, 3]], "weights": [[1, 10], [100, 1000]]},
            {"H": 1, "W": 3, "R": 2, "S": 2},
            [[1000, 2100, 3200]],
        ),
        (
            "batched_matmul",
            {"A": [[[1, 2]], [[3, 4]]], "B": [[[1, 0], [0, 1]], [[1, 1], [1, 0]]]},
            {"BATCH": 2, "M": 1, "N": 2, "K": 2},
            [[[1, 2]], [[7, 3]]],
        ),
        (
            "prefix_sum",
            {"input": [[3, 1, 4, 1, 5], [1, 1, 1, 1, 1]]},
            {"M": 2, "N": 5},
            [[3, 4, 8, 9, 14], [1, 2, 3, 4, 5]],
        ),
    ],
)
def test_examples_of_the_statements(name, inputs, sizes, expected):
    problem = load_problem(PROBLEMS / name)
    arrays = {array: np.array(values, np.float64) for array, values in inputs.items()}
    (got,) = problem.expected(arrays, sizes).values()
    assert got.tolist() == expected


def array_of(problem, name, values):
    declared = problem.inputs[name]
    return np.array(values, declared.dtype.numpy)


@pytest.mark.parametrize(
    ("name", "inputs", "sizes", "expected"),
    [
        (
            "stencil_2d",
            {"input": [[8, 8, 8, 8], [0, 4, 0, 0], [0, 8, 4, 0], [0, 0, 0, 0]]},
            {"H": 4, "W": 4},
            {"output": [[8, 8, 8, 8], [0, 4, 4, 0], [0, 2, 2, 0], [0, 0, 0, 0]]},
        ),
        (
            "colour_inversion",
            {"input": [[[255, 0, 10, 255], [0, 128, 200, 7]]]},
            {"H": 1, "W": 2},
            {"output": [[[0, 255, 245, 255], [255, 127, 55, 7]]]},
        ),
        (
            "argmax",
            {"input": [[3, 1, 4, 1, 4], [-5, -7, -5, -6, -8]]},
            {"M": 2, "N": 5},
            {"output": [2, 0]},
        ),
        ("histogram", {"input": [2, 0, 2, 3, 2, 0, 2]}, {"N": 7, "BINS": 4}, {"histogram": [2, 0, 4, 1]}),
        (
            "spmv_csr",
            {"offsets": [0, 2, 2, 4], "columns": [0, 3, 1, 2], "values": [5, 2, 3, 4], "x": [1, 2, 3, 4]},
            {"M": 3, "N": 4, "NNZ": 4},
            {"y": [13, 0, 18]},
        ),
        (
            "monte_carlo",
            {"x": [20000, 32767, 10000, 30000], "y": [20000, 0, 30000, 20000]},
            {"N": 4},
            {"inside": [3]},
        ),
        (
            "kmeans_step",
            {"points": [[1, 1], [2, 0], [9, 8], [5, 5]], "centres": [[0, 0], [10, 10]]},
            {"N": 4, "K": 2},
            {"labels": [0, 0, 1, 0], "sums": [[8, 6], [9, 8]], "counts": [3, 1]},
        ),
        ("top_k", {"input": [[-3, 5, 1, 5, -7, 2, 0]]}, {"M": 1, "N": 7, "K": 3}, {"output": [[5, 5, 2]]}),
        (
            "matmul_fp16",
            {"A": [[1, 2, 3]], "B": [[1, 0], [1, 1], [1, 1]]},
            {"M": 1, "N": 3, "K": 2},
            {"C": [[6, 5]]},
        ),
        (
            "coo_to_csr",
            {
                "rows": [2, 0, 2, 3, 0, 2],
                "columns": [4, 1, 0, 2, 1, 4],
                "values": [1.5, 2, 3, 4, 5, 6],
            },
            {"M": 4, "N": 5, "NNZ": 6},
            {
                "offsets": [0, 2, 2, 5, 6],
                "sorted_columns": [1, 1, 4, 0, 4, 2],
                "sorted_values": [2, 5, 1.5, 3, 6, 4],
            },
        ),
        (
            "breadth_first_search",
            {"offsets": [0, 2, 3, 4, 4, 5], "neighbours": [[1], [2], [3], [3], [0]]},
            {"V": 5, "DEGREE": 1},
            {"distance": [0, 1, 1, 2, -1]},
        ),
        ("bitonic_sort", {"input": [5, 2, 9, 1, 7, 3]}, {"N": 6}, {"output": [1, 2, 3, 5, 7, 9]}),
        (
            "radix_sort",
            {"keys": [31, 12, 32, 12, 11], "values": [1, 2, 3, 4, 5]},
            {"N": 5},
            {"sorted_keys": [11, 12, 12, 31, 32], "sorted_values": [5, 2, 4, 1, 3]},
        ),
        ("exclusive_scan", {"input": [3, 1, -4, 1, 5, 9]}, {"N": 6}, {"output": [0, 3, 4, 0, 1, 6]}),
        (
            "segmented_scan",
            {"input": [3, 1, 4, 1, 5, 9, 2, 6], "heads": [0, 0, 1, 0, 0, 1, 1, 0]},
            {"N": 8},
            {"output": [3, 4, 4, 5, 10, 9, 2, 8]},
        ),
        (
            "prefix_max",
            {"input": [-5, -7, 2, 1, 2, 9, 4]},
            {"N": 7},
            {"output": [-5, -5, 2, 2, 2, 9, 9]},
        ),
        (
            "reduce_by_key",
            {"keys": [7, 7, 7, 2, 2, 7, 5, 5], "values": [1, 2, 3, 4, 5, 6, 7, -7]},
            {"N": 8},
            {"run_keys": [7, 2, 7, 5, 0, 0, 0, 0], "sums": [6, 9, 6, 0, 0, 0, 0, 0], "count": [4]},
        ),
        (
            "run_length_encode",
            {"input": [7, 7, 7, 2, 2, 7, 5, 5]},
            {"N": 8},
            {"symbols": [7, 2, 7, 5, 0, 0, 0, 0], "lengths": [3, 2, 1, 2, 0, 0, 0, 0], "count": [4]},
        ),
        (
            "stream_compaction",
            {"input": [3, -1, 0, 5, -2, 4, -6]},
            {"N": 7},
            {"output": [3, 5, 4, 0, 0, 0, 0], "count": [3]},
        ),
        ("base64", {"input": list(b"Hello")}, {"N": 5}, {"output": list(b"SGVsbG8=")}),
        (
            "hash_table_lookup",
            {"keys": [7, 3, 7, -1, 9], "queries": [7, -1, 4, 9]},
            {"N": 5, "Q": 4},
            {"places": [0, 3, -1, 4]},
        ),
        (
            "smith_waterman",
            {"a": [[2, 0, 1, 3]], "b": [[3, 0, 1, 1, 3]]},
            {"PAIRS": 1, "N": 4, "M": 5},
            {"score": [6]},
        ),
        (
            "sha256",
            {"messages": [list(b"abc")]},
            {"COUNT": 1, "LENGTH": 3},
            {"digests": [list(bytes.fromhex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))]},
        ),
        (
            "spmm",
            {
                "offsets": [0, 2, 2, 3],
                "columns": [[0], [2], [1]],
                "values": [[5], [2], [3]],
                "B": [[1, 2], [3, 4], [5, 6]],
            },
            {"M": 3, "N": 3, "K": 2, "DEGREE": 1},
            {"C": [[15, 22], [0, 0], [9, 12]]},
        ),
        (
            "shortest_paths",
            {"offsets": [0, 2, 2, 3, 4], "neighbours": [[1], [2], [1], [0]], "weights": [[5], [1], [2], [7]]},
            {"V": 4, "DEGREE": 1},
            {"distance": [0, 3, 1, -1]},
        ),
        (
            "grouped_matmul",
            {"X": [[1, 2], [3, 4], [5, 6]], "W": [[[10], [1]], [[1], [100]]], "offsets": [0, 1, 3]},
            {"T": 3, "G": 2, "K": 2, "N": 1},
            {"Y": [[12], [403], [605]]},
        ),
        (
            "edit_distance",
            {"a": [[98, 97, 99, 100]], "b": [[98, 97, 100, 100, 97]]},
            {"PAIRS": 1, "N": 4, "M": 5},
            {"distance": [2]},
        ),
        (
            "triangle_count",
            {
                "offsets": [0, 3, 5, 5, 6, 6],
                "neighbours": [[1, 2], [3, 2], [3, 4], [-1, -1], [-1, -1]],
            },
            {"V": 5, "DEGREE": 2},
            {"count": [2]},
        ),
        (
            "connected_components",
            {"a": [5, 2, 3, 4], "b": [2, 6, 1, 4]},
            {"V": 7, "E": 4},
            {"label": [0, 1, 2, 1, 4, 2, 2]},
        ),
        (
            "strided_map",
            {
                "in_storage": [5, 6, 7, 0, 0, 0],
                "out_shape": [2, 3],
                "out_strides": [1, 2],
                "in_shape": [1, 3],
                "in_strides": [3, 1],
            },
            {"out_size": 6, "shape_size": 2, "fn_id": 1},
            {"out": [-5, -5, -6, -6, -7, -7]},
        ),
        (
            "strided_zip",
            {
                "a_storage": [10, 20, 0, 0, 0, 0],
                "b_storage": [1, 2, 3, 0, 0, 0],
                "out_shape": [2, 3],
                "out_strides": [3, 1],
                "a_shape": [2, 1],
                "a_strides": [1, 2],
                "b_shape": [1, 3],
                "b_strides": [3, 1],
            },
            {"out_size": 6, "shape_size": 2, "fn_id": 1},
            {"out": [11, 12, 13, 21, 22, 23]},
        ),
        (
            "strided_reduce",
            {
                "a_storage": [[1, 10, 2], [20, 3, 30]],
                "a_shape": [2, 3],
                "a_strides": [1, 2],
                "out_shape": [2, 1],
                "out_strides": [1, 2],
            },
            {"out_size": 2, "reduce_dim": 1, "reduce_size": 3, "shape_size": 2, "fn_id": 1},
            {"out": [6, 60]},
        ),
        (
            "strided_matmul",
            {
                "a_storage": [[[1, 2]], [[3, 4]]],
                "b_storage": [[[10], [1]], [[0], [0]]],
                "out_strides": [1, 1, 1],
                "a_shape": [2, 1, 2],
                "a_strides": [1, 2, 2],
                "b_shape": [1, 2, 1],
                "b_strides": [2, 1, 1],
            },
            {"BATCH": 2, "M": 1, "N": 2, "K": 1},
            {"out": [[[13]], [[24]]]},
        ),
    ],
)
def test_examples_of_several_types(name, inputs, sizes, expected):
    problem = load_problem(PROBLEMS / name)
    got = problem.expected({array: array_of(problem, array, values) for array, values in inputs.items()}, sizes)
    assert {output: values.tolist() for output, values in got.items()} == expected


@pytest.mark.parametrize(
    ("name", "inputs", "sizes", "expected"),
    [
        ("gelu", {"input": [-2.0, -0.5, 0.0, 1.0]}, {"N": 4}, [-0.0454, -0.1543, 0.0, 0.8412]),
        (
            "softmax",
            {"input": [[1.0, 2.0, 3.0], [100.0, 100.0, 100.0]]},
            {"M": 2, "N": 3},
            [[0.0900, 0.2447, 0.6652], [0.3333, 0.3333, 0.3333]],
        ),
        (
            "layer_norm",
            {"input": [[1, 2, 3, 6]], "weight": [1, 1, 2, 1], "bias": [0, 0, 0.5, 0]},
            {"M": 1, "N": 4},
            [[-1.0690, -0.5345, 0.5, 1.6036]],
        ),
        (
            "rms_norm",
            {"input": [[1, 2, -2, 4]], "weight": [1, 1, 1, 0.5]},
            {"M": 1, "N": 4},
            [[0.4, 0.8, -0.8, 0.8]],
        ),
        (
            "attention",
            {"Q": [[1.0], [2.0]], "K": [[0.0], [0.0]], "V": [[10.0], [20.0]]},
            {"N": 2, "D": 1, "causal": 0},
            [[15.0], [15.0]],
        ),
        (
            "attention",
            {"Q": [[1.0], [2.0]], "K": [[0.0], [0.0]], "V": [[10.0], [20.0]]},
            {"N": 2, "D": 1, "causal": 1},
            [[10.0], [15.0]],
        ),
        (
            "matmul_int8",
            {"A": [[100, 50]], "B": [[10, 20, -120], [12, -30, 100]], "scale": [0.01, 0.1, 0.05]},
            {"M": 1, "N": 2, "K": 3},
            [[16, 50, -128]],
        ),
        (
            "image_blur",
            {"input": [[0, 10, 20], [30, 80, 50], [60, 70, 110]]},
            {"H": 3, "W": 3, "R": 1},
            [[30, 31.667, 40], [41.667, 47.778, 56.667], [60, 66.667, 77.5]],
        ),
    ],
)
def test_examples_of_rounded_results(name, inputs, sizes, expected):
    problem = load_problem(PROBLEMS / name)
    given = {array: array_of(problem, array, values) for array, values in inputs.items()}
    (got,) = problem.expected(given, sizes).values()
    assert got == pytest.approx(np.array(expected), abs=5e-4)


def test_the_example_of_swiglu():
    inputs = {"gate": np.array([-2.0, 0.0, 1.0, 3.0]), "value": np.array([1.0, 5.0, 2.0, -1.0])}
    output = load_problem(PROBLEMS / "swiglu").expected(inputs, {"N": 4})["output"]
    assert output == pytest.approx([-0.2384, 0.0, 1.4621, -2.8577], abs=5e-5)


def test_references():
    x = np.array([0.0, 1.0, -2.0])
    logistic = load_problem(PROBLEMS / "map").expected({"input": x}, {"N": 3})["output"]
    assert logistic == pytest.approx([0.5, 0.7310585786300049, 0.11920292202211755], rel=1e-15)
    assert load_problem(PROBLEMS / "zip").expected({"a": x, "b": x}, {"N": 3})["output"].tolist() == [
        0,
        2,
        -4,
    ]
    assert load_problem(PROBLEMS / "reduce").expected({"input": x}, {"N": 3})["output"].tolist() == [-1]
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    product = load_problem(PROBLEMS / "matmul").expected({"A": a, "B": b}, {"M": 2, "N": 3, "K": 4})["C"]
    assert product.tolist() == [[20, 23, 26, 29], [56, 68, 80, 92]]
