package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func TestVerdicts(t *testing.T) {
	quiet := load{}
	all, err := verdicts(parsed(t, `where,claim,paper,log,setting,verdict,numbers,a,b,value,half,from,to,note
Fig. 3,Short jobs,10,CTC,logged,does not hold,"batch, online",379.068,260.529,1.42171,2.33387,10,+Inf,
Fig. 3,Short jobs,10,CTC,estimates,holds,"batch, online",3,2,1.5,0,1,+Inf,few jobs
Fig. 3,Short jobs,10,KTH,logged,cannot be tested,"batch, online",NaN,NaN,NaN,NaN,10,+Inf,
`), quiet)
	require.NoError(t, err)
	require.Equal(t, []verdict{
		{Where: "Fig. 3", Claim: "Short jobs", Paper: "10", Outcome: trial.Fails, Numbers: []evidence{
			{"CTC; logged; batch, online: 379, 261 (1.42 ± 2.33)", ""}, {"holds: CTC; estimates; batch, online: 3, 2", "few jobs"}}},
		{Where: "Fig. 3", Claim: "Short jobs", Paper: "10", Outcome: trial.Untested, Numbers: []evidence{{"KTH; logged", ""}}},
	}, all)
	all, err = verdicts(parsed(t, "where,claim,paper,verdict,numbers,a,b,value,half,from,to\n§4,It is,,holds,share,1,0,1,0,1,1\n"), quiet)
	require.NoError(t, err)
	require.Equal(t, []verdict{{Where: "§4", Claim: "It is", Outcome: trial.Holds, Numbers: []evidence{{"share: 1", ""}}}}, all, "there are no circumstances")
	_, err = verdicts(parsed(t, "where,claim,verdict\n"), quiet)
	require.EqualError(t, err, `some.csv: there is no column "paper"`)
}
