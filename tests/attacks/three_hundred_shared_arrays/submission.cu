// expect: runtime_error illegal_instruction
// on gpu: runtime_error | compile_error | accepted
// problem: zip
// row: emulator
//
// Declares more shared arrays in inline PTX than an emulator has places for.

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .shared .b8 s0[1]; .shared .b8 s1[1]; .shared .b8 s2[1]; .shared .b8 s3[1]; .shared .b8 s4[1]; .shared .b8 s5[1]; .shared .b8 s6[1]; .shared .b8 s7[1];"
        ".shared .b8 s8[1]; .shared .b8 s9[1]; .shared .b8 s10[1]; .shared .b8 s11[1]; .shared .b8 s12[1]; .shared .b8 s13[1]; .shared .b8 s14[1]; .shared .b8 s15[1];"
        ".shared .b8 s16[1]; .shared .b8 s17[1]; .shared .b8 s18[1]; .shared .b8 s19[1]; .shared .b8 s20[1]; .shared .b8 s21[1]; .shared .b8 s22[1]; .shared .b8 s23[1];"
        ".shared .b8 s24[1]; .shared .b8 s25[1]; .shared .b8 s26[1]; .shared .b8 s27[1]; .shared .b8 s28[1]; .shared .b8 s29[1]; .shared .b8 s30[1]; .shared .b8 s31[1];"
        ".shared .b8 s32[1]; .shared .b8 s33[1]; .shared .b8 s34[1]; .shared .b8 s35[1]; .shared .b8 s36[1]; .shared .b8 s37[1]; .shared .b8 s38[1]; .shared .b8 s39[1];"
        ".shared .b8 s40[1]; .shared .b8 s41[1]; .shared .b8 s42[1]; .shared .b8 s43[1]; .shared .b8 s44[1]; .shared .b8 s45[1]; .shared .b8 s46[1]; .shared .b8 s47[1];"
        ".shared .b8 s48[1]; .shared .b8 s49[1]; .shared .b8 s50[1]; .shared .b8 s51[1]; .shared .b8 s52[1]; .shared .b8 s53[1]; .shared .b8 s54[1]; .shared .b8 s55[1];"
        ".shared .b8 s56[1]; .shared .b8 s57[1]; .shared .b8 s58[1]; .shared .b8 s59[1]; .shared .b8 s60[1]; .shared .b8 s61[1]; .shared .b8 s62[1]; .shared .b8 s63[1];"
        ".shared .b8 s64[1]; .shared .b8 s65[1]; .shared .b8 s66[1]; .shared .b8 s67[1]; .shared .b8 s68[1]; .shared .b8 s69[1]; .shared .b8 s70[1]; .shared .b8 s71[1];"
        ".shared .b8 s72[1]; .shared .b8 s73[1]; .shared .b8 s74[1]; .shared .b8 s75[1]; .shared .b8 s76[1]; .shared .b8 s77[1]; .shared .b8 s78[1]; .shared .b8 s79[1];"
        ".shared .b8 s80[1]; .shared .b8 s81[1]; .shared .b8 s82[1]; .shared .b8 s83[1]; .shared .b8 s84[1]; .shared .b8 s85[1]; .shared .b8 s86[1]; .shared .b8 s87[1];"
        ".shared .b8 s88[1]; .shared .b8 s89[1]; .shared .b8 s90[1]; .shared .b8 s91[1]; .shared .b8 s92[1]; .shared .b8 s93[1]; .shared .b8 s94[1]; .shared .b8 s95[1];"
        ".shared .b8 s96[1]; .shared .b8 s97[1]; .shared .b8 s98[1]; .shared .b8 s99[1]; .shared .b8 s100[1]; .shared .b8 s101[1]; .shared .b8 s102[1]; .shared .b8 s103[1];"
        ".shared .b8 s104[1]; .shared .b8 s105[1]; .shared .b8 s106[1]; .shared .b8 s107[1]; .shared .b8 s108[1]; .shared .b8 s109[1]; .shared .b8 s110[1]; .shared .b8 s111[1];"
        ".shared .b8 s112[1]; .shared .b8 s113[1]; .shared .b8 s114[1]; .shared .b8 s115[1]; .shared .b8 s116[1]; .shared .b8 s117[1]; .shared .b8 s118[1]; .shared .b8 s119[1];"
        ".shared .b8 s120[1]; .shared .b8 s121[1]; .shared .b8 s122[1]; .shared .b8 s123[1]; .shared .b8 s124[1]; .shared .b8 s125[1]; .shared .b8 s126[1]; .shared .b8 s127[1];"
        ".shared .b8 s128[1]; .shared .b8 s129[1]; .shared .b8 s130[1]; .shared .b8 s131[1]; .shared .b8 s132[1]; .shared .b8 s133[1]; .shared .b8 s134[1]; .shared .b8 s135[1];"
        ".shared .b8 s136[1]; .shared .b8 s137[1]; .shared .b8 s138[1]; .shared .b8 s139[1]; .shared .b8 s140[1]; .shared .b8 s141[1]; .shared .b8 s142[1]; .shared .b8 s143[1];"
        ".shared .b8 s144[1]; .shared .b8 s145[1]; .shared .b8 s146[1]; .shared .b8 s147[1]; .shared .b8 s148[1]; .shared .b8 s149[1]; .shared .b8 s150[1]; .shared .b8 s151[1];"
        ".shared .b8 s152[1]; .shared .b8 s153[1]; .shared .b8 s154[1]; .shared .b8 s155[1]; .shared .b8 s156[1]; .shared .b8 s157[1]; .shared .b8 s158[1]; .shared .b8 s159[1];"
        ".shared .b8 s160[1]; .shared .b8 s161[1]; .shared .b8 s162[1]; .shared .b8 s163[1]; .shared .b8 s164[1]; .shared .b8 s165[1]; .shared .b8 s166[1]; .shared .b8 s167[1];"
        ".shared .b8 s168[1]; .shared .b8 s169[1]; .shared .b8 s170[1]; .shared .b8 s171[1]; .shared .b8 s172[1]; .shared .b8 s173[1]; .shared .b8 s174[1]; .shared .b8 s175[1];"
        ".shared .b8 s176[1]; .shared .b8 s177[1]; .shared .b8 s178[1]; .shared .b8 s179[1]; .shared .b8 s180[1]; .shared .b8 s181[1]; .shared .b8 s182[1]; .shared .b8 s183[1];"
        ".shared .b8 s184[1]; .shared .b8 s185[1]; .shared .b8 s186[1]; .shared .b8 s187[1]; .shared .b8 s188[1]; .shared .b8 s189[1]; .shared .b8 s190[1]; .shared .b8 s191[1];"
        ".shared .b8 s192[1]; .shared .b8 s193[1]; .shared .b8 s194[1]; .shared .b8 s195[1]; .shared .b8 s196[1]; .shared .b8 s197[1]; .shared .b8 s198[1]; .shared .b8 s199[1];"
        ".shared .b8 s200[1]; .shared .b8 s201[1]; .shared .b8 s202[1]; .shared .b8 s203[1]; .shared .b8 s204[1]; .shared .b8 s205[1]; .shared .b8 s206[1]; .shared .b8 s207[1];"
        ".shared .b8 s208[1]; .shared .b8 s209[1]; .shared .b8 s210[1]; .shared .b8 s211[1]; .shared .b8 s212[1]; .shared .b8 s213[1]; .shared .b8 s214[1]; .shared .b8 s215[1];"
        ".shared .b8 s216[1]; .shared .b8 s217[1]; .shared .b8 s218[1]; .shared .b8 s219[1]; .shared .b8 s220[1]; .shared .b8 s221[1]; .shared .b8 s222[1]; .shared .b8 s223[1];"
        ".shared .b8 s224[1]; .shared .b8 s225[1]; .shared .b8 s226[1]; .shared .b8 s227[1]; .shared .b8 s228[1]; .shared .b8 s229[1]; .shared .b8 s230[1]; .shared .b8 s231[1];"
        ".shared .b8 s232[1]; .shared .b8 s233[1]; .shared .b8 s234[1]; .shared .b8 s235[1]; .shared .b8 s236[1]; .shared .b8 s237[1]; .shared .b8 s238[1]; .shared .b8 s239[1];"
        ".shared .b8 s240[1]; .shared .b8 s241[1]; .shared .b8 s242[1]; .shared .b8 s243[1]; .shared .b8 s244[1]; .shared .b8 s245[1]; .shared .b8 s246[1]; .shared .b8 s247[1];"
        ".shared .b8 s248[1]; .shared .b8 s249[1]; .shared .b8 s250[1]; .shared .b8 s251[1]; .shared .b8 s252[1]; .shared .b8 s253[1]; .shared .b8 s254[1]; .shared .b8 s255[1];"
        ".shared .b8 s256[1]; .shared .b8 s257[1]; .shared .b8 s258[1]; .shared .b8 s259[1]; .shared .b8 s260[1]; .shared .b8 s261[1]; .shared .b8 s262[1]; .shared .b8 s263[1];"
        ".shared .b8 s264[1]; .shared .b8 s265[1]; .shared .b8 s266[1]; .shared .b8 s267[1]; .shared .b8 s268[1]; .shared .b8 s269[1]; .shared .b8 s270[1]; .shared .b8 s271[1];"
        ".shared .b8 s272[1]; .shared .b8 s273[1]; .shared .b8 s274[1]; .shared .b8 s275[1]; .shared .b8 s276[1]; .shared .b8 s277[1]; .shared .b8 s278[1]; .shared .b8 s279[1];"
        ".shared .b8 s280[1]; .shared .b8 s281[1]; .shared .b8 s282[1]; .shared .b8 s283[1]; .shared .b8 s284[1]; .shared .b8 s285[1]; .shared .b8 s286[1]; .shared .b8 s287[1];"
        ".shared .b8 s288[1]; .shared .b8 s289[1]; .shared .b8 s290[1]; .shared .b8 s291[1]; .shared .b8 s292[1]; .shared .b8 s293[1]; .shared .b8 s294[1]; .shared .b8 s295[1];"
        ".shared .b8 s296[1]; .shared .b8 s297[1]; .shared .b8 s298[1]; .shared .b8 s299[1]; }");
    if (i < N) output[i] = a[i] + b[i];
}
