// Checks rendered manifests against the types of the Kubernetes API: an unknown field, a wrong type or a duplicate fails.
// Then it writes down how Weir's container is to be started, so that CI can do so without a cluster: into the folder -out
// go the files of ConfigMaps and Secrets, at the paths where they are mounted; it prints the environment and the arguments,
// one in a line. What a Secret holds, which no manifest says, comes from -secrets: a folder NAME with a file for each key.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

var (
	scheme  = runtime.NewScheme()
	out     = flag.String("out", "", "folder for the mounted files")
	secrets = flag.String("secrets", "", "folder with the contents of Secrets")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	for _, each := range []func(*runtime.Scheme) error{
		apps.AddToScheme, autoscaling.AddToScheme, core.AddToScheme, monitoring.AddToScheme, networking.AddToScheme, policy.AddToScheme,
	} {
		if err := each(scheme); err != nil {
			log.Fatal(err)
		}
	}
	objects, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	for _, each := range objects {
		fmt.Fprintf(os.Stderr, "%s ", each.GetObjectKind().GroupVersionKind().Kind)
	}
	fmt.Fprintln(os.Stderr)
	if *out != "" {
		if err := plan(objects); err != nil {
			log.Fatal(err)
		}
	}
}

func read(input io.Reader) ([]runtime.Object, error) {
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(input))
	var objects []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if empty(document) {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%w in:\n%s", err, document)
		}
		objects = append(objects, object)
	}
}

// empty tells whether a document has nothing but comments.
func empty(document []byte) bool {
	for _, line := range strings.Split(string(document), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line != "---" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

func plan(objects []runtime.Object) error {
	maps := map[string]map[string]string{}
	var pod *core.PodSpec
	for _, each := range objects {
		switch object := each.(type) {
		case *core.ConfigMap:
			maps[object.Name] = object.Data
		case *apps.Deployment:
			pod = &object.Spec.Template.Spec
		}
	}
	for _, container := range append(pod.InitContainers, pod.Containers...) {
		if container.Name != "weir" {
			continue
		}
		for _, mount := range container.VolumeMounts {
			files, err := contents(pod, mount.Name, maps)
			if err != nil {
				return err
			}
			for name, text := range files {
				path := filepath.Join(*out, mount.MountPath, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					return err
				}
			}
		}
		for _, variable := range container.Env {
			value := variable.Value
			if from := variable.ValueFrom; from != nil {
				text, err := os.ReadFile(filepath.Join(*secrets, from.SecretKeyRef.Name, from.SecretKeyRef.Key))
				if err != nil {
					return err
				}
				value = string(text)
			}
			fmt.Printf("env %s=%s\n", variable.Name, value)
		}
		for _, argument := range append(container.Command, container.Args...) {
			fmt.Printf("arg %s\n", argument)
		}
		return nil
	}
	return errors.New("no container is named weir")
}

func contents(pod *core.PodSpec, name string, maps map[string]map[string]string) (map[string]string, error) {
	for _, volume := range pod.Volumes {
		switch {
		case volume.Name != name:
		case volume.ConfigMap != nil:
			files, found := maps[volume.ConfigMap.Name]
			if !found {
				return nil, fmt.Errorf("volume %s: there is no ConfigMap %s", name, volume.ConfigMap.Name)
			}
			return files, nil
		case volume.Secret != nil:
			folder := filepath.Join(*secrets, volume.Secret.SecretName)
			entries, err := os.ReadDir(folder)
			if err != nil {
				return nil, err
			}
			files := map[string]string{}
			for _, entry := range entries {
				text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
				if err != nil {
					return nil, err
				}
				files[entry.Name()] = string(text)
			}
			return files, nil
		}
	}
	return nil, fmt.Errorf("there is no volume %s", name)
}
