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
# A new pod is ready before an old one stops.
strategy:
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
template:
  metadata:
    labels:
      {{- include "waybill.labels" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
    annotations:
      # Other settings are other pods.
      checksum/settings: {{ include (print .root.Template.BasePath "/settings.yaml") .root | sha256sum }}
  spec:
    automountServiceAccountToken: false
    # They would be variables such as WAYBILL_SERVICE_HOST, which are not settings.
    enableServiceLinks: false
    # A stopping process serves on by itself while it reports that it is not ready, so no preStop hook is needed.
    terminationGracePeriodSeconds: {{ add .root.Values.stop.delaySeconds .root.Values.stop.seconds 40 }}
    {{- with .root.Values.imagePullSecrets }}
    imagePullSecrets: {{ toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      runAsNonRoot: true
      runAsUser: 10001
      runAsGroup: 10001
      fsGroup: 10001
      seccompProfile: { type: RuntimeDefault }
    containers:
      - name: {{ .role }}
        image: {{ include "waybill.image" .root | quote }}
        imagePullPolicy: {{ .root.Values.image.pullPolicy }}
        args: [{{ .role }}]
        envFrom:
          - configMapRef: { name: {{ include "waybill.name" .root }} }
        ports:
          {{- if eq .role "serve" }}
          - { name: http, containerPort: 8080 }
          {{- end }}
          - { name: console, containerPort: 8081 }
        # A migration may take long.
        startupProbe:
          httpGet: { path: /healthz, port: console }
          periodSeconds: 5
          failureThreshold: 120
        livenessProbe:
          httpGet: { path: /healthz, port: console }
          periodSeconds: 10
          timeoutSeconds: 5
        {{- if eq .role "serve" }}
        readinessProbe:
          httpGet: { path: /readyz, port: console }
          periodSeconds: 2
          failureThreshold: 2
          timeoutSeconds: 5
        {{- end }}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: { drop: [ALL] }
        resources: {{ toYaml .values.resources | nindent 10 }}
        volumeMounts:
          - { name: secrets, mountPath: /etc/waybill, readOnly: true }
    volumes:
      - name: secrets
        secret:
          secretName: {{ include "waybill.secret" .root }}
          # A secret that everyone can read is refused.
          defaultMode: 0440
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
