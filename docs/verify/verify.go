// Package webhooks tells genuine deliveries from others.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// Headers is what Verify needs of an http.Header.
type Headers interface{ Get(name string) string }

// Verify answers nil when the delivery is genuine and fresh, and otherwise why it is not.
//
// secrets holds one secret (whsec_...), or those that are valid during a rotation. body is what
// arrived, before any parsing. now is time.Now(), except in a test.
func Verify(secrets []string, headers Headers, body []byte, now time.Time) error {
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if headers.Get(name) == "" {
			return fmt.Errorf("The header %s is missing.", name)
		}
	}
	timestamp := headers.Get("webhook-timestamp")
	if !unixSeconds.MatchString(timestamp) {
		return errors.New("webhook-timestamp is not in Unix seconds.")
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("webhook-timestamp is more than 5 minutes from the clock here.")
	}
	matches := false
	for _, secret := range secrets {
		encoded, labelled := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !labelled || err != nil || len(key) < 24 {
			return errors.New("A secret is whsec_ and the base64 of its key.")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(headers.Get("webhook-id") + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
			// In constant time.
			matches = hmac.Equal([]byte(given), []byte(expected)) || matches
		}
	}
	if !matches {
		return errors.New("No signature matches: another secret, or not the raw body.")
	}
	return nil
}
