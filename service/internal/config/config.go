package config

import (
	"time"

	"github.com/bookahead/bookahead"
)

// Config is the file. The comment of each field says what is meant if it is left out.
type Config struct {
	// Folder is where the service keeps everything; "data" if left out. A relative folder lies beside the file.
	Folder string `yaml:"folder"`
	// Listen is the address of the service, "localhost:8080" if left out.
	Listen string `yaml:"listen"`
	// URL is how browsers reach the service, such as https://book.example.org: for links, cookies and logins. Without it
	// links are made from Listen.
	URL string `yaml:"url"`
	// Proxy says that a proxy stands before the service: the caller's address is the last one of X-Forwarded-For.
	Proxy bool `yaml:"proxy"`
	// Secret names a file, or as "$NAME" a variable of the environment, that has 32 bytes or more, by which sessions and addresses
	// of feeds are signed. Members behind one proxy need the same; "secret" in the folder, which the service makes, if left out.
	Secret string `yaml:"secret"`
	// TLS has the certificate of the service; without it the service speaks HTTP.
	TLS *TLS `yaml:"tls"`
	// Zone is the time zone of the schedules, UTC if left out.
	Zone string `yaml:"zone"`
	// Epoch is the day of tick 0, "2026-01-01" if left out. Nothing can be booked before. It never changes.
	Epoch string `yaml:"epoch"`
	// Tick is the shortest time that is booked, 1m if left out. It never changes.
	Tick Length `yaml:"tick"`
	// Keep is how long the service remembers what is over, 90d if left out. It never changes.
	Keep Length `yaml:"keep"`
	// Titles is "all" if everybody sees the titles of all bookings, as is meant if it is left out, or "mine".
	Titles string `yaml:"titles"`
	// Member makes the service one of several that keep the same desk; without it the service is alone.
	Member *Member `yaml:"member"`

	Schedules []Schedule `yaml:"schedules"`
	Quotas    []Quota    `yaml:"quotas"`
	// Groups are the members of groups: a member may book for the group, and change its bookings.
	Groups map[string][]string `yaml:"groups"`

	Tokens   []Token   `yaml:"tokens"`
	OIDC     *OIDC     `yaml:"oidc"`
	Webhooks []Webhook `yaml:"webhooks"`
	Limits   Limits    `yaml:"limits"`

	clock bookahead.Clock
}

// TLS names files in PEM. A relative name lies beside the file of the service.
type TLS struct {
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
}

// Member is one of several members.
type Member struct {
	// ID is the name of this member, and one of Peers.
	ID string `yaml:"id"`
	// Bind is the address for other members, such as ":7000".
	Bind string `yaml:"bind"`
	// Peers are the first members, this one among them, the same list in the file of each.
	Peers []Peer `yaml:"peers"`
	// Election is how long the leader may be silent before the others elect another; half a second if left out. Members that are far
	// apart need ten round trips.
	Election Length `yaml:"election"`
	// Certificate, Key and Authority are files in PEM: members know each other by certificates of this authority. Without
	// them whoever reaches Bind may do anything, so that Bind must be of a network that nobody else reaches.
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
	Authority   string `yaml:"authority"`
}

// Peer is a member as the others see it.
type Peer struct {
	ID      string `yaml:"id"`
	Address string `yaml:"address"`
}

// Schedule is something to be booked. Only kinds of the tag "kinds" have a field.
type Schedule struct {
	Name string `yaml:"name"`
	// Kind is "pool": units that are alike; "servers": things with numbers; "nodes": machines with resources; or "broker":
	// one of several schedules.
	Kind string `yaml:"kind"`
	// Unit says for people what a unit is: "Gbit/s", "seat".
	Unit string `yaml:"unit"`
	// Horizon is how far ahead can be booked, 365d if left out.
	Horizon Length `yaml:"horizon"`

	// Units is the number of units of a pool, and Count the number of servers.
	Units int64 `yaml:"units" kinds:"pool"`
	Count int64 `yaml:"count" kinds:"servers"`
	// Prefer says which servers are used first: "lowest", "best" or "worst".
	Prefer string `yaml:"prefer" kinds:"servers"`

	// Resources are the names of what each node has, and Levels those of groups of nodes.
	Resources []string `yaml:"resources" kinds:"nodes"`
	Levels    []string `yaml:"levels" kinds:"nodes"`
	Nodes     []Nodes  `yaml:"nodes" kinds:"nodes"`
	// Policy says which nodes are used first: "lowest", "best", "fewest" or "spread"; for a broker which schedule is:
	// "first", "least-loaded" or "shortest-queue".
	Policy string `yaml:"policy" kinds:"nodes broker"`
	// Of are the schedules of a broker.
	Of []string `yaml:"of" kinds:"broker"`

	// Open are opening hours such as "Mo-Fr 08:00-20:00", "Sa,Su 10:00-14:00" or "daily 06:00-24:00"; always open if left
	// out. The hours of several lines add up.
	Open []string `yaml:"open" kinds:"pool servers nodes"`
	// Longest, Notice and Ahead bound a booking: its length, and how long before its start it is made.
	Longest Length `yaml:"longest" kinds:"pool servers nodes"`
	Notice  Length `yaml:"notice" kinds:"pool servers nodes"`
	Ahead   Length `yaml:"ahead" kinds:"pool servers nodes"`
	// Before and After are times to set up and to clean, in which nobody else has the units.
	Before Length `yaml:"before" kinds:"pool servers nodes"`
	After  Length `yaml:"after" kinds:"pool servers nodes"`
	// Owners and Labels say who may book; everybody if both are left out.
	Owners []string `yaml:"owners" kinds:"pool servers nodes"`
	Labels []string `yaml:"labels" kinds:"pool servers nodes"`
}

// Nodes are some nodes that are alike.
type Nodes struct {
	// Count is how many there are, 1 if left out.
	Count int64 `yaml:"count"`
	// Has is what each has of Resources, in their order.
	Has []int64 `yaml:"has"`
	// In has the group of each level in which they lie.
	In map[string]string `yaml:"in"`
}

// Quota bounds what some bookings use together.
type Quota struct {
	Name string `yaml:"name"`
	// Owners are those whose bookings count, all if left out. With Each every owner has a bound of his own.
	Owners []string `yaml:"owners"`
	Each   bool     `yaml:"each"`
	// Label counts only bookings that have it, and On only these schedules, and of nodes only the Resource.
	Label    string   `yaml:"label"`
	On       []string `yaml:"on"`
	Resource string   `yaml:"resource"`
	// Units is the most units at once.
	Units int64 `yaml:"units"`
	// Hours is the most units times hours in each period of Every, or in any stretch of time as long as Any.
	Hours int64  `yaml:"hours"`
	Every Length `yaml:"every"`
	Any   Length `yaml:"any"`
	// Waiting is how many may wait at once. None lets these owners book nothing.
	Waiting int64 `yaml:"waiting"`
	None    bool  `yaml:"none"`
}

// Token lets a program, or a person without a login, call the service.
type Token struct {
	// SHA256 is the sum of the token, as "bookaheadd token" prints it. The token itself is nowhere.
	SHA256 string `yaml:"sha256"`
	Owner  string `yaml:"owner"`
	// Role is "reader", "booker" or "operator".
	Role string `yaml:"role"`
	// Groups are groups of the owner beside those of the file.
	Groups []string `yaml:"groups"`
	// Expires is a day, such as "2027-01-31", after which the token is worth nothing; never if left out.
	Expires string `yaml:"expires"`
}

// OIDC lets people log in at a provider of OpenID Connect.
type OIDC struct {
	Issuer string `yaml:"issuer"`
	Client string `yaml:"client"`
	// Secret names a file, or as "$NAME" a variable of the environment, that has the secret of the client.
	Secret string `yaml:"secret"`
	// Owner is the claim that names the owner, "preferred_username" if left out, and Groups the claim with his groups,
	// "groups" if left out. Owners and groups share their names: people must not be able to choose these claims.
	Owner  string `yaml:"owner"`
	Groups string `yaml:"groups"`
	// Operators and Bookers are groups whose members have the role. Everybody who can log in is a booker if Bookers is
	// left out, and else a reader.
	Operators []string `yaml:"operators"`
	Bookers   []string `yaml:"bookers"`
}

// Webhook is called with events.
type Webhook struct {
	Name string `yaml:"name"`
	URL  string `yaml:"url"`
	// Secret names a file, or as "$NAME" a variable of the environment, that has the key of the signature.
	Secret string `yaml:"secret"`
	// What are the events: "booked", "moved", "displaced" and so on; all if left out.
	What []string `yaml:"what"`
	// Owners are those whose bookings are told, and On the schedules; all if left out.
	Owners []string `yaml:"owners"`
	On     []string `yaml:"on"`
}

// Limits bound what a caller may ask for.
type Limits struct {
	// Body is the most bytes of a request, 1048576 if left out.
	Body int64 `yaml:"body"`
	// Rate is how many requests a second each caller may make on average, 50 if left out, and Burst how many at once, 200.
	Rate  float64 `yaml:"rate"`
	Burst int     `yaml:"burst"`
	// Streams is how many event streams each caller may have open, 16 if left out.
	Streams int `yaml:"streams"`
	// Timeout is how long a request may take, 30s if left out.
	Timeout Length `yaml:"timeout"`
}

// Clock makes ticks of the time.
func (c *Config) Clock() bookahead.Clock { return c.clock }

// Ticks returns a length in ticks, rounded up.
func (c *Config) Ticks(d time.Duration) bookahead.Duration {
	n, _ := c.clock.Ticks(d) // the tick is positive
	return n
}
