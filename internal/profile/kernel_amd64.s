//go:build !purego

#include "textflag.h"

// func hasAVX2() bool
// It needs AVX2 of leaf 7, and of leaf 1 that the system saves registers (OSXSAVE) and AVX;
// XCR0 says whether it saves those of 128 and 256 bits.
TEXT ·hasAVX2(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  done
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $0x18000000, CX
	CMPL CX, $0x18000000
	JNE  done
	XORL CX, CX
	XGETBV
	ANDL $6, AX
	CMPL AX, $6
	JNE  done
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $5, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)
done:
	RET

// The least is in Y0 and the most in Y1, each of eight numbers; the least of all is in AX then,
// the most in DX.
#define LEAST_AND_MOST \
	VEXTRACTI128 $1, Y0, X3; \
	VPMINSD X3, X0, X0; \
	VPSHUFD $0x4e, X0, X3; \
	VPMINSD X3, X0, X0; \
	VPSHUFD $0xb1, X0, X3; \
	VPMINSD X3, X0, X0; \
	VEXTRACTI128 $1, Y1, X3; \
	VPMAXSD X3, X1, X1; \
	VPSHUFD $0x4e, X1, X3; \
	VPMAXSD X3, X1, X1; \
	VPSHUFD $0xb1, X1, X3; \
	VPMAXSD X3, X1, X1; \
	VMOVD X0, AX; \
	VMOVD X1, DX; \
	VZEROUPPER

// func add32(p *int32, n int, delta, acc int32) (low, high int32)
// The last eight overlap those before them, so they are read first and written last.
TEXT ·add32(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL delta+16(FP), R8
	VMOVD R8, X4
	VPBROADCASTD X4, Y4
	MOVL acc+20(FP), R8
	VMOVD R8, X2
	VPBROADCASTD X2, Y2
	LEAQ -8(CX), BX
	VPADDD (SI)(BX*4), Y4, Y5
	VPADDD Y5, Y2, Y0
	VMOVDQU Y0, Y1
	XORQ AX, AX
	CMPQ AX, BX
	JGE  last
loop:
	VPADDD (SI)(AX*4), Y4, Y3
	VMOVDQU Y3, (SI)(AX*4)
	VPADDD Y3, Y2, Y3
	VPMINSD Y3, Y0, Y0
	VPMAXSD Y3, Y1, Y1
	ADDQ $8, AX
	CMPQ AX, BX
	JLT  loop
last:
	VMOVDQU Y5, (SI)(BX*4)
	LEAST_AND_MOST
	MOVL AX, low+24(FP)
	MOVL DX, high+28(FP)
	RET

// func extremes32(p *int32, n int, acc int32) (low, high int32)
TEXT ·extremes32(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL acc+16(FP), R8
	VMOVD R8, X2
	VPBROADCASTD X2, Y2
	LEAQ -8(CX), BX
	VPADDD (SI)(BX*4), Y2, Y0
	VMOVDQU Y0, Y1
	XORQ AX, AX
	CMPQ AX, BX
	JGE  last
loop:
	VPADDD (SI)(AX*4), Y2, Y3
	VPMINSD Y3, Y0, Y0
	VPMAXSD Y3, Y1, Y1
	ADDQ $8, AX
	CMPQ AX, BX
	JLT  loop
last:
	LEAST_AND_MOST
	MOVL AX, low+24(FP)
	MOVL DX, high+28(FP)
	RET
