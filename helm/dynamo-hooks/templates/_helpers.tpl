{{- /* The installation's name: what ends the names of cluster-wide objects in a restricted installation. */ -}}
{{- define "dynamo-hooks.installation" -}}
{{- if .Values.namespaceRestriction.enabled -}}
{{- .Values.namespaceRestriction.installation | default .Release.Namespace -}}
{{- end -}}
{{- end -}}

{{- define "dynamo-hooks.suffix" -}}
{{- with include "dynamo-hooks.installation" . }}-{{ . }}{{ end -}}
{{- end -}}

{{- define "dynamo-hooks.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "dynamo-hooks.selectorLabels" -}}
app.kubernetes.io/name: dynamo-hooks
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "dynamo-hooks.labels" -}}
{{ include "dynamo-hooks.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- /* The namespaces of a restricted installation, as JSON. */ -}}
{{- define "dynamo-hooks.namespaces" -}}
{{- .Values.namespaceRestriction.namespaces | default (list .Release.Namespace) | toJson -}}
{{- end -}}

{{- /* The service's settings file, as JSON with sorted keys: what the values say, without the empty ones. */ -}}
{{- define "dynamo-hooks.settings" -}}
{{- $settings := dict -}}
{{- range $key := list "natsAddress" "etcdAddress" "modelExpressURL" "prometheusEndpoint" "discoveryBackend" -}}
{{- with get $.Values $key }}{{ $_ := set $settings $key . }}{{ end -}}
{{- end -}}
{{- range $key := list "ingress" "multinode" "mpiRun" "profiling" "server" "defaults" -}}
{{- $given := dict -}}
{{- range $name, $value := get $.Values $key }}{{ if not (kindIs "invalid" $value) }}{{ $_ := set $given $name $value }}{{ end }}{{ end -}}
{{- if $given }}{{ $_ := set $settings $key $given }}{{ end -}}
{{- end -}}
{{- $profiling := get $settings "profiling" | default dict -}}
{{- if not (hasKey $profiling "outputCopierImage") }}{{ $_ := set $profiling "outputCopierImage" (include "dynamo-hooks.image" .) }}{{ end -}}
{{- $_ := set $settings "profiling" $profiling -}}
{{- $rbac := dict -}}
{{- range $name, $value := .Values.rbac }}{{ $_ := set $rbac $name (printf "%s%s" $value (include "dynamo-hooks.suffix" $)) }}{{ end -}}
{{- $_ := set $settings "rbac" $rbac -}}
{{- if .Values.namespaceRestriction.enabled -}}
{{- $restriction := dict "enabled" true "installation" (include "dynamo-hooks.installation" .) "namespaces" (include "dynamo-hooks.namespaces" . | fromJsonArray) -}}
{{- $_ := set $settings "namespaceRestriction" $restriction -}}
{{- end -}}
{{- $settings | toJson -}}
{{- end -}}

{{- define "dynamo-hooks.image" -}}
{{- with .Values.image.digest -}}
{{ $.Values.image.repository }}@{{ . }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "dynamo-hooks.tokenSecret" -}}
{{- .Values.auth.existingSecret | default (printf "%s-token" (include "dynamo-hooks.name" .)) -}}
{{- end -}}

{{- /*
The token, as JSON {token, previous}, the same in the whole of one rendering: that of the Secret that is there. Ours gets a
new one where there is none, or where auth.tokenRevision differs from the one it was made for; the old one is then kept as
`previous`, until the next upgrade, since Metacontroller sends it until it has read the new one. The token of a Secret that
is not ours is empty where the chart cannot read it.
*/ -}}
{{- define "dynamo-hooks.token" -}}
{{- if not (hasKey .Values.auth "_token") -}}
{{- $there := lookup "v1" "Secret" .Release.Namespace (include "dynamo-hooks.tokenSecret" .) | default dict -}}
{{- $known := get ($there.data | default dict) "token" | b64dec -}}
{{- $revision := get (($there.metadata | default dict).annotations | default dict) "dynamo-hooks/token-revision" -}}
{{- $found := dict "token" $known "previous" "" -}}
{{- if and (not .Values.auth.existingSecret) (or (not $known) (ne $revision (toString .Values.auth.tokenRevision))) -}}
{{- $found = dict "token" (randAlphaNum 48) "previous" $known -}}
{{- end -}}
{{- $_ := set .Values.auth "_token" $found -}}
{{- end -}}
{{- toJson .Values.auth._token -}}
{{- end -}}

{{- /* Ten hexadecimal digits over everything that changes answers or who may ask: Metacontroller asks anew, and reads token
and CA anew, where a URL changes. */ -}}
{{- define "dynamo-hooks.revision" -}}
{{- $parts := list .Chart.AppVersion (include "dynamo-hooks.image" .) (include "dynamo-hooks.settings" .) -}}
{{- if .Values.auth.enabled -}}
{{- $token := include "dynamo-hooks.token" . | fromJson -}}
{{- $parts = concat $parts (list (include "dynamo-hooks.tokenSecret" .) $token.token (toString .Values.auth.tokenRevision)) -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $certificate := (lookup "v1" "Secret" .Release.Namespace .Values.tls.secretName | default dict).data | default dict -}}
{{- $parts = concat $parts (list .Values.tls.secretName (toString .Values.tls.revision) (toJson $certificate)) -}}
{{- end -}}
{{- toJson $parts | sha256sum | trunc 10 -}}
{{- end -}}

{{- /* Whether the cluster has an optional API. Call with (list $ "leaderWorkerSet" "group/version"). */ -}}
{{- define "dynamo-hooks.has" -}}
{{- $root := index . 0 -}}
{{- $wanted := get $root.Values.optionalAPIs (index . 1) | toString -}}
{{- if or (eq $wanted "true") (and (eq $wanted "auto") ($root.Capabilities.APIVersions.Has (index . 2))) }}true{{ end -}}
{{- end -}}
