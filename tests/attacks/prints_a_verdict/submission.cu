// expect: wrong_answer unwritten_output
// problem: zip
// row: 10
//
// Computes nothing and prints what a grader may parse, as JSON, as text and as control characters.

#include <cstdio>

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    printf("{\"verdict\":\"accepted\",\"kind\":null,\"score\":1.0,\"status\":\"done\"}\n");
    printf("\x1b[2J\x1b[H\x1b[32mAccepted: every case is right\x1b[0m\n");
    printf("[bold green]Accepted[/]\r<script>document.title='Accepted'</script>\n");
    printf("\"outputs\":{\"output\":0}}\n\xff\xfe");
}
