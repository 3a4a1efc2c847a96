{{- define "weir.name" -}}
{{- if contains "weir" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-weir" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* What the chart sets in weir.yaml, below the user's own settings. */ -}}
{{- define "weir.settings" -}}
{{- $own := dict "drain_delay" (printf "%ds" (int .Values.drain.delaySeconds)) "drain_timeout" (printf "%ds" (int .Values.drain.timeoutSeconds)) }}
{{- if .Values.rules }}{{ $_ := set $own "rules" "/etc/weir/rules" }}{{ end }}
{{- if eq .Values.mode "sidecar" }}{{ $_ := set $own "grpc_host" "127.0.0.1" }}{{ end }}
{{- with .Values.redis }}
{{- if .url }}{{ $_ := set $own "store" .url }}{{ end }}
{{- if .user }}{{ $_ := set $own "store_user" .user }}{{ end }}
{{- if .passwordSecret.name }}{{ $_ := set $own "store_password_file" (printf "/etc/weir/redis/%s" .passwordSecret.key) }}{{ end }}
{{- if .caSecret }}{{ $_ := set $own "store_tls_ca" "/etc/weir/redis-ca/ca.crt" }}{{ end }}
{{- end }}
{{- if .Values.admin.tokenSecret.name }}
{{- $_ := set $own "admin_host" "0.0.0.0" }}
{{- $_ := set $own "admin_token_file" (printf "/etc/weir/admin/%s" .Values.admin.tokenSecret.key) }}
{{- end }}
{{- if .Values.tls.secret }}
{{- $_ := set $own "grpc_tls_cert" "/etc/weir/tls/tls.crt" }}
{{- $_ := set $own "grpc_tls_key" "/etc/weir/tls/tls.key" }}
{{- if .Values.tls.clientCertificates }}{{ $_ := set $own "grpc_tls_client_ca" "/etc/weir/tls/ca.crt" }}{{ end }}
{{- if .Values.tls.http }}
{{- $_ := set $own "http_tls_cert" "/etc/weir/tls/tls.crt" }}
{{- $_ := set $own "http_tls_key" "/etc/weir/tls/tls.key" }}
{{- end }}
{{- end }}
{{- toYaml (merge (deepCopy .Values.settings) $own) }}
{{- end }}

{{- define "weir.probe" -}}
httpGet:
  path: /healthcheck
  port: http
  scheme: {{ if and .Values.tls.secret .Values.tls.http }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{- define "weir.container" -}}
name: weir
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [serve, --config, /etc/weir/config/weir.yaml]
{{- if or .Values.postgresql.urlSecret.name .Values.javaOptions .Values.extraEnv }}
env:
  {{- with .Values.postgresql.urlSecret }}
  {{- if .name }}
  - name: WEIR_DB
    valueFrom:
      secretKeyRef: { name: {{ .name }}, key: {{ .key }} }
  {{- end }}
  {{- end }}
  {{- with .Values.javaOptions }}
  - name: JDK_JAVA_OPTIONS
    value: {{ . | quote }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
ports:
  - { name: http, containerPort: 8080 }
  - { name: grpc, containerPort: 8081 }
  {{- if .Values.admin.tokenSecret.name }}
  - { name: admin, containerPort: 6070 }
  {{- end }}
startupProbe:
  {{- include "weir.probe" . | nindent 2 }}
  periodSeconds: 1
  failureThreshold: 60
readinessProbe:
  {{- include "weir.probe" . | nindent 2 }}
  periodSeconds: 2
  failureThreshold: 1
# Not /healthcheck: a restart does not repair a database, and a draining server is alive.
livenessProbe:
  tcpSocket: { port: http }
  periodSeconds: 10
  failureThreshold: 3
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65534
  runAsGroup: 65534
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
  seccompProfile: { type: RuntimeDefault }
volumeMounts:
  - { name: config, mountPath: /etc/weir/config, readOnly: true }
  {{- if .Values.rules }}
  - { name: rules, mountPath: /etc/weir/rules, readOnly: true }
  {{- end }}
  {{- if .Values.redis.passwordSecret.name }}
  - { name: redis, mountPath: /etc/weir/redis, readOnly: true }
  {{- end }}
  {{- if .Values.redis.caSecret }}
  - { name: redis-ca, mountPath: /etc/weir/redis-ca, readOnly: true }
  {{- end }}
  {{- if .Values.admin.tokenSecret.name }}
  - { name: admin, mountPath: /etc/weir/admin, readOnly: true }
  {{- end }}
  {{- if .Values.tls.secret }}
  - { name: tls, mountPath: /etc/weir/tls, readOnly: true }
  {{- end }}
{{- end }}
