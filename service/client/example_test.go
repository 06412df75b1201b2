package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/client"
)

// A program asks for two GPUs, and is told why there are none.
func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusConflict)
		json.NewEncoder(w).Encode(api.Problem{Status: 409, Detail: "there is no place", Refusal: &api.Refusal{Reasons: []string{"2 units of \"gpus\" are taken by #7"}}})
	}))
	defer service.Close()
	c := client.New("token", service.URL)
	_, err := c.Book(context.Background(), "training 7", api.Book{Wish: api.Wish{Parts: []api.Part{{Schedule: "gpus", Units: 2, Duration: "PT6H"}}}})
	var p *api.Problem
	if errors.As(err, &p) && p.Refusal != nil {
		fmt.Println(p.Refusal.Reasons[0])
	}
	// Output:
	// 2 units of "gpus" are taken by #7
}
