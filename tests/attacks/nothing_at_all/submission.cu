// expect: wrong_answer unwritten_output
// problem: map
// row: 14, 24
//
// The right name, the right parameters, and nothing in it.

__global__ void map_kernel(const float* input, float* output, int N) {

}
