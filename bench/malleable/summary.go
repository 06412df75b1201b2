package main

import (
	"slices"

	"github.com/bookahead/bookahead/volume"
)

// summary has the numbers of a policy. accepted and volume are shares of all requests that count, and of their volume. The others
// are of the requests that are accepted. A turnaround is the time from the ready time to the end, in ticks. A slowdown is
// a turnaround over the time at the most rate; less than 10 ticks count as 10 there, and a slowdown is at least 1.
type summary struct {
	accepted, volume, stretches float64
	turnaround, slowdown        float64 // means
	medianTurnaround            float64
	medianSlowdown              float64
	utilisation                 float64 // of a single link, from the ready time of the first request to the last end
}

const shortTicks = 10

func summarize(capacity int64, stream []request, plans [][]volume.Stretch) (s summary) {
	var turnarounds, slowdowns []float64
	var asked, end float64
	for i, r := range stream {
		if !r.counts {
			continue
		}
		s.accepted++
		asked += float64(r.Volume)
		n := len(plans[i])
		if n == 0 {
			continue
		}
		last := plans[i][n-1].End
		s.volume += float64(r.Volume)
		s.stretches += float64(n)
		end = max(end, float64(last))
		turnaround := float64(last - r.Ready)
		turnarounds = append(turnarounds, turnaround)
		slowdowns = append(slowdowns, max(1, turnaround/max(shortTicks, float64(r.Volume)/float64(r.Most))))
	}
	if len(turnarounds) == 0 {
		return summary{}
	}
	n := float64(len(turnarounds))
	s.accepted, s.stretches = n/s.accepted, s.stretches/n
	s.utilisation = s.volume / (float64(capacity) * (end - float64(stream[0].Ready)))
	s.volume /= asked
	s.turnaround, s.medianTurnaround = meanAndMedian(turnarounds)
	s.slowdown, s.medianSlowdown = meanAndMedian(slowdowns)
	return s
}

// meanAndMedian sorts the numbers.
func meanAndMedian(list []float64) (mean, median float64) {
	slices.Sort(list)
	for _, x := range list {
		mean += x / float64(len(list))
	}
	return mean, list[len(list)/2]
}
