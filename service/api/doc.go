// Package api has what goes over the wire between the service and its callers: plain types in JSON. The tags of their
// fields make the OpenAPI description of the service, so that the description, the server and the client of package client
// say the same.
//
// Times are RFC 3339 with a zone, and durations ISO 8601 ("PT1H30M"). The service counts in ticks: it rounds a ready time and a
// duration up, and a deadline down, and answers with the times that it has booked.
//
// Errors are problems of RFC 9457 (application/problem+json).
package api
