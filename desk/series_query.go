package desk

import "github.com/bookahead/bookahead"

// Series returns a series by its ID, as long as the desk keeps the series. The error is bookahead.ErrNotFound. O(1).
// Bookings yields its occurrences for a Filter with Series.
func (d *Desk) Series(id SeriesID) (Series, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.seriesOf(id)
	if err != nil {
		return Series{}, err
	}
	return s.Series, nil
}

// SeriesByKey returns a series by the key that BookSeries gave it, as long as the desk keeps the series. The error is
// bookahead.ErrNotFound; "" is nobody's key. O(1).
func (d *Desk) SeriesByKey(key string) (Series, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.b.series.keys.get(key)
	if !ok {
		return Series{}, bookahead.ErrNotFound
	}
	s, err := d.b.seriesOf(id)
	if err != nil {
		return Series{}, err
	}
	return s.Series, nil
}

// AllSeries returns all series that the desk keeps, by ID. A series whose Needs is not after now waits for a Continue.
// O(n) for n series.
func (d *Desk) AllSeries() []Series {
	d.mu.RLock()
	defer d.mu.RUnlock()
	list := make([]Series, 0, d.b.series.all.Len())
	for _, r := range d.b.series.all.All(d.b.now) {
		list = append(list, r.Series)
	}
	return list
}
