package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPrintedVerdicts reads the claims of the three programs that print them.
func TestPrintedVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []verdict
	}{
		"schneider": {`§8.1  is no claim, before they begin
Claims, each with its numbers

§8.1  Many short slots take longer (128 units).
      holds: time of a over b: ×153 [×66, ×352] (* points that did not converge: 6)
      why: Slots are touched.

§8.1  The list is faster.
      refuted (at 2 of 3 loads; holds at 0): time of a over b: ×9.99
`, []verdict{
			{Where: "§8.1", Claim: "Many short slots take longer (128 units)", Outcome: holds,
				Numbers: []string{"time of a over b: ×153 [×66, ×352] (* points that did not converge: 6)", "why: Slots are touched."}},
			{Where: "§8.1", Claim: "The list is faster", Outcome: fails,
				Numbers: []string{"(at 2 of 3 loads; holds at 0) time of a over b: ×9.99"}},
		}},
		"stevens": {`Claims, each judged at the highest load

Fig. 11  inconclusive: CPU-intensive: at a high load even SAMCRA blocks less.
         inconclusive: blocked by SAMCRA less that by MC-B, in points: -16.33 ± 23.62

§5.4     holds: Both: AWMC-T blocks as MC-T does.
         holds: blocked: +0.08 ± 0.36
`, []verdict{
			{Where: "Fig. 11", Claim: "CPU-intensive: at a high load even SAMCRA blocks less", Outcome: inconclusive,
				Numbers: []string{"inconclusive: blocked by SAMCRA less that by MC-B, in points: -16.33 ± 23.62"}},
			{Where: "§5.4", Claim: "Both: AWMC-T blocks as MC-T does", Outcome: holds, Numbers: []string{"holds: blocked: +0.08 ± 0.36"}},
		}},
		"toporkov": {`Claims

§4.2  MaxQ is ahead.
      does not hold: 62.5, 53.1

Longer than the slowest node chosen needs

FirstFit  3 of 30
`, []verdict{{Where: "§4.2", Claim: "MaxQ is ahead", Outcome: fails, Numbers: []string{"62.5, 53.1"}}}},
		"none": {"nothing is claimed\n", nil},
	} {
		got, err := printedVerdicts(strings.NewReader(c.text))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	_, err := printedVerdicts(strings.NewReader("Claims\n   of nobody\n"))
	require.EqualError(t, err, `claims begin with "of nobody", which belongs to none`)
}

func TestTabledVerdicts(t *testing.T) {
	all, err := tabledVerdicts(parsed(t, `where,claim,paper,log,setting,verdict,numbers,a,b,value,half,from,to
Fig. 3,Short jobs,10,CTC,logged,does not hold,"batch, online",379.068,260.529,1.42171,2.33387,10,+Inf
Fig. 3,Short jobs,10,CTC,estimates,holds,"batch, online",3,2,1.5,0,1,+Inf
Fig. 3,Short jobs,10,KTH,logged,cannot be tested,"batch, online",NaN,NaN,NaN,NaN,10,+Inf
`))
	require.NoError(t, err)
	require.Equal(t, []verdict{
		{Where: "Fig. 3", Claim: "Short jobs", Paper: "10", Outcome: fails, Numbers: []string{
			"CTC, logged; batch, online: 379, 261 (1.42 ± 2.33)", "holds, CTC, estimates; batch, online: 3, 2"}},
		{Where: "Fig. 3", Claim: "Short jobs", Paper: "10", Outcome: untested, Numbers: []string{"KTH, logged"}},
	}, all)
	_, err = tabledVerdicts(parsed(t, "where,claim,verdict\n"))
	require.EqualError(t, err, `some.csv: there is no column "paper"`)
}
