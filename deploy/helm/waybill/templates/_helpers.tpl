{{- define "waybill.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "waybill.labels" -}}
app.kubernetes.io/name: waybill
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "waybill.secret" -}}
{{- if .Values.secret.external.enabled -}}
{{ include "waybill.name" . }}
{{- else -}}
{{ required "secret.existing is the name of the Secret with the keys of secret.files; or set secret.external" .Values.secret.existing }}
{{- end -}}
{{- end }}

{{- define "waybill.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* The pods of a role: a dict of root, role and values. */}}
{{- define "waybill.pods" -}}
selector:
  matchLabels:
    {{- include "waybill.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
strategy:
  {{- if eq .role "work" }}
  # A worker must not be older than the pods that enqueue its jobs: old workers stop taking jobs before the first new
  # pod serves.
  type: Recreate
  {{- else }}
  # A new pod is ready before an old one stops.
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  {{- end }}
template:
  metadata:
    labels:
      {{- include "waybill.labels" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
    annotations:
      # Changed settings or secrets replace the pods. A Secret can be read only by `helm install` and `upgrade`.
      checksum/settings: {{ include (print .root.Template.BasePath "/settings.yaml") .root | sha256sum }}
      checksum/secret: {{ (lookup "v1" "Secret" .root.Release.Namespace (include "waybill.secret" .root)).data | toJson | sha256sum }}
      {{- with .root.Values.podAnnotations }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  spec:
    {{- include "waybill.podSecurity" . | nindent 4 }}
    # A stopping process keeps serving while it reports that it is not ready, so no preStop hook is needed.
    terminationGracePeriodSeconds: {{ add .root.Values.stop.delaySeconds .root.Values.stop.seconds 40 }}
    containers:
      - name: {{ .role }}
        args: [{{ .role }}]
        {{- include "waybill.container" .root | nindent 8 }}
        ports:
          {{- if eq .role "serve" }}
          - { name: http, containerPort: 8080 }
          {{- end }}
          - { name: probes, containerPort: 8081 }
        # A migration may take long.
        startupProbe:
          httpGet: { path: /healthz, port: probes }
          periodSeconds: 5
          failureThreshold: 120
        livenessProbe:
          httpGet: { path: /healthz, port: probes }
          periodSeconds: 10
          timeoutSeconds: 5
        {{- if eq .role "serve" }}
        readinessProbe:
          httpGet: { path: /readyz, port: probes }
          periodSeconds: 2
          failureThreshold: 2
          timeoutSeconds: 5
        {{- end }}
        resources: {{ toYaml .values.resources | nindent 10 }}
        volumeMounts: {{ include "waybill.mounts" .root | nindent 10 }}
    volumes: {{ include "waybill.volumes" .root | nindent 6 }}
    topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels:
            {{- include "waybill.labels" .root | nindent 12 }}
            app.kubernetes.io/component: {{ .role }}
    {{- with .values.nodeSelector }}
    nodeSelector: {{ toYaml . | nindent 6 }}
    {{- end }}
    {{- with .values.tolerations }}
    tolerations: {{ toYaml . | nindent 6 }}
    {{- end }}
    {{- with .values.affinity }}
    affinity: {{ toYaml . | nindent 6 }}
    {{- end }}
{{- end }}

{{/* The common part of all pods: a dict with root. */}}
{{- define "waybill.podSecurity" -}}
automountServiceAccountToken: false
{{- with .root.Values.serviceAccount.name }}
serviceAccountName: {{ . }}
{{- end }}
# Service links would set variables such as WAYBILL_SERVICE_HOST, which are not settings.
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
  {{- if eq (default "" .role) "serve" }}
  {{- with .root.Values.serve.sysctls }}
  sysctls: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end }}

{{/* The common part of all containers. */}}
{{- define "waybill.container" -}}
image: {{ include "waybill.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef: { name: {{ include "waybill.name" . }} }
{{- if or .Values.privateCa.configMap .Values.extraEnv }}
env:
  {{- if .Values.privateCa.configMap }}
  - { name: NODE_EXTRA_CA_CERTS, value: /etc/waybill-ca/{{ .Values.privateCa.key }} }
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "waybill.mounts" -}}
- { name: secrets, mountPath: /etc/waybill, readOnly: true }
{{- if .Values.privateCa.configMap }}
- { name: private-ca, mountPath: /etc/waybill-ca, readOnly: true }
{{- end }}
{{- if .Values.texts.configMap }}
- { name: texts, mountPath: /etc/waybill-texts, readOnly: true }
{{- end }}
{{- if .Values.logo.configMap }}
- { name: logo, mountPath: /etc/waybill-logo, readOnly: true }
{{- end }}
{{- end }}

{{- define "waybill.volumes" -}}
- name: secrets
  secret:
    secretName: {{ include "waybill.secret" . }}
    # A secret that everyone can read is refused.
    defaultMode: 0440
{{- with .Values.privateCa.configMap }}
- { name: private-ca, configMap: { name: {{ . }} } }
{{- end }}
{{- with .Values.texts.configMap }}
- { name: texts, configMap: { name: {{ . }} } }
{{- end }}
{{- with .Values.logo.configMap }}
- { name: logo, configMap: { name: {{ . }} } }
{{- end }}
{{- end }}
