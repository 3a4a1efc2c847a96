// Loads a Compose file as Docker Compose does: the schema, the variables, references between services, volumes and files.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	log.SetFlags(0)
	options, err := cli.NewProjectOptions(os.Args[1:2], cli.WithOsEnv)
	if err != nil {
		log.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, service := range project.Services {
		for _, volume := range service.Volumes {
			if volume.Type == "bind" {
				if _, err := os.Stat(volume.Source); err != nil {
					log.Fatalf("%s: %v", service.Name, err)
				}
			}
		}
		fmt.Printf("%s ", service.Name)
	}
	fmt.Println("in", filepath.Base(os.Args[1]))
}
