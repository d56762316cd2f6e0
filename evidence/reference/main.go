// Checks logs with Go's own implementation of Merkle logs and signed notes, golang.org/x/mod/sumdb.
//
// It reads proofs, tiles and a note that evidence/src made from standard input, reports what is wrong with them, and makes
// its own of the same entries for evidence/src to verify. reference.test.ts runs it.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Proofs is what both sides make. Hashes are in base64.
type Proofs struct {
	Vkey        string
	Note        string
	Text        string
	Roots       []tlog.Hash // by size
	Inclusion   []Inclusion
	Consistency []Consistency
	Tiles       []Tile
}

type Inclusion struct {
	Index, Size int64
	Proof       []tlog.Hash
}

type Consistency struct {
	OldSize, NewSize int64
	Proof            []tlog.Hash
}

type Tile struct {
	Level, Width int
	Index        int64
	Path         string
	Data         []byte
}

type input struct {
	Entries [][]byte
	Proofs  Proofs
}

type output struct {
	Faults []string
	Proofs Proofs
}

var faults = []string{}

func report(err error, format string, values ...interface{}) {
	if err != nil {
		faults = append(faults, fmt.Sprintf(format, values...)+": "+err.Error())
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var in input
	must(json.NewDecoder(os.Stdin).Decode(&in))

	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			hashes[i] = stored[index]
		}
		return hashes, nil
	})
	own := Proofs{Roots: []tlog.Hash{}}
	for i := 0; i <= len(in.Entries); i++ {
		root, err := tlog.TreeHash(int64(i), reader)
		must(err)
		own.Roots = append(own.Roots, root)
		if i < len(in.Entries) {
			hashes, err := tlog.StoredHashes(int64(i), in.Entries[i], reader)
			must(err)
			stored = append(stored, hashes...)
		}
	}
	// Go hashes an empty tree to zeros, RFC 6962 to the hash of nothing.
	for size := 1; size < len(own.Roots); size++ {
		if in.Proofs.Roots[size] != own.Roots[size] {
			report(fmt.Errorf("differs"), "the root of %d", size)
		}
	}
	for _, p := range in.Proofs.Inclusion {
		leaf := tlog.RecordHash(in.Entries[p.Index])
		report(tlog.CheckRecord(p.Proof, p.Size, own.Roots[p.Size], p.Index, leaf), "leaf %d of %d", p.Index, p.Size)
		proof, err := tlog.ProveRecord(p.Size, p.Index, reader)
		must(err)
		own.Inclusion = append(own.Inclusion, Inclusion{p.Index, p.Size, proof})
	}
	for _, p := range in.Proofs.Consistency {
		report(tlog.CheckTree(p.Proof, p.NewSize, own.Roots[p.NewSize], p.OldSize, own.Roots[p.OldSize]), "%d before %d", p.OldSize, p.NewSize)
		proof, err := tlog.ProveTree(p.NewSize, p.OldSize, reader)
		must(err)
		own.Consistency = append(own.Consistency, Consistency{p.OldSize, p.NewSize, proof})
	}
	for _, t := range in.Proofs.Tiles {
		tile := tlog.Tile{H: 8, L: t.Level, N: t.Index, W: t.Width}
		data, err := tlog.ReadTileData(tile, reader)
		must(err)
		if !bytes.Equal(data, t.Data) || tile.Path() != "tile/8"+t.Path[len("tile"):] {
			report(fmt.Errorf("differs from %s", tile.Path()), "tile %s", t.Path)
		}
	}

	verifier, err := note.NewVerifier(in.Proofs.Vkey)
	must(err)
	opened, err := note.Open([]byte(in.Proofs.Note), note.VerifierList(verifier))
	report(err, "the note")
	if err == nil && opened.Text != in.Proofs.Text {
		report(fmt.Errorf("%q", opened.Text), "the text of the note")
	}

	skey, vkey, err := note.GenerateKey(rand.Reader, "go.example.org/log")
	must(err)
	signer, err := note.NewSigner(skey)
	must(err)
	signed, err := note.Sign(&note.Note{Text: in.Proofs.Text}, signer)
	must(err)
	own.Vkey, own.Note, own.Text = vkey, string(signed), in.Proofs.Text
	must(json.NewEncoder(os.Stdout).Encode(output{faults, own}))
}
