// Generated from api/openapi.json by `npm run openapi`. Do not edit.
import type { OperationTable } from "../call-types.ts";

export const OPERATIONS = {
  accounts: {
    me: {"method":"GET","path":"/v1/me","answer":"data"},
  },
  agentSharing: {
    get: {"method":"GET","path":"/v1/agent/{code}/sharing","answer":"data"},
    replace: {"method":"PUT","path":"/v1/agent/{code}/sharing","body":"json","answer":"data"},
  },
  agents: {
    get: {"method":"GET","path":"/v1/agent/{code}","answer":"data"},
    update: {"method":"POST","path":"/v1/agent/{code}","body":"json"},
    delete: {"method":"DELETE","path":"/v1/agent/{code}"},
    addContext: {"method":"POST","path":"/v1/agent/{code}/add-context","body":"json"},
    listRooms: {"method":"GET","path":"/v1/agent/{code}/sessions","items":"sessions"},
    speak: {"method":"POST","path":"/v1/agent/{code}/speak","body":"json"},
    create: {"method":"POST","path":"/v1/agent/generate","acceptsKey":true,"body":"json"},
    status: {"method":"GET","path":"/v1/agent/status/{agent_id}","answer":"data"},
    list: {"method":"GET","path":"/v1/agents","hasQuery":true,"items":"data","isPaged":true},
  },
  credits: {
    summarize: {"method":"GET","path":"/v2/credit-summaries","answer":"data"},
  },
  deviceCodes: {
    create: {"method":"POST","path":"/v1/cli/device","isOpen":true,"body":"json"},
    redeem: {"method":"POST","path":"/v1/cli/token","isOpen":true,"body":"json"},
  },
  dynamics: {
    get: {"method":"GET","path":"/v1/dynamics/{agent_id}","answer":"data"},
    update: {"method":"PUT","path":"/v1/dynamics/{agent_id}","body":"json"},
    create: {"method":"POST","path":"/v1/dynamics/generate","acceptsKey":true,"body":"json"},
  },
  embedLinks: {
    create: {"method":"POST","path":"/v1/embed-links","body":"json","answer":"data"},
    list: {"method":"GET","path":"/v1/embed-links","hasQuery":true,"items":"data","isPaged":true},
    delete: {"method":"DELETE","path":"/v1/embed-links/{code}"},
  },
  embedSettings: {
    get: {"method":"GET","path":"/v2/{user_id}/embed-settings","answer":"data"},
    replace: {"method":"PUT","path":"/v2/{user_id}/embed-settings","body":"json","answer":"data"},
  },
  embedTokens: {
    create: {"method":"POST","path":"/v1/embed-tokens/request","body":"json","answer":"data"},
  },
  faceMarks: {
    get: {"method":"GET","path":"/v1/agent/{code}/face-marks","answer":"data"},
    replace: {"method":"PUT","path":"/v1/agent/{code}/face-marks","body":"json"},
  },
  files: {
    download: {"method":"GET","path":"/files/{kind}/{name}","isOpen":true,"hasQuery":true,"answer":"raw"},
    list: {"method":"GET","path":"/v1/files","hasQuery":true,"items":"files","isPaged":true},
    delete: {"method":"DELETE","path":"/v1/files/{file_id}"},
    upload: {"method":"POST","path":"/v1/files/upload","body":"either","answer":"data"},
  },
  knowledgeBases: {
    create: {"method":"POST","path":"/v1/knowledge/kbs","body":"json"},
    list: {"method":"GET","path":"/v1/knowledge/kbs","items":"kbs"},
    get: {"method":"GET","path":"/v1/knowledge/kbs/{kb_id}"},
    update: {"method":"PATCH","path":"/v1/knowledge/kbs/{kb_id}","body":"json"},
    delete: {"method":"DELETE","path":"/v1/knowledge/kbs/{kb_id}"},
    rebuild: {"method":"POST","path":"/v1/knowledge/kbs/{kb_id}/rebuild"},
    search: {"method":"POST","path":"/v1/knowledge/kbs/{kb_id}/search","body":"json"},
  },
  knowledgeFiles: {
    create: {"method":"POST","path":"/v1/knowledge/files","body":"either"},
    list: {"method":"GET","path":"/v1/knowledge/files","hasQuery":true,"items":"files","isPaged":true},
    delete: {"method":"DELETE","path":"/v1/knowledge/files/{file_id}"},
  },
  ledger: {
    list: {"method":"GET","path":"/v1/ledger","hasQuery":true,"items":"data","isPaged":true},
  },
  members: {
    list: {"method":"GET","path":"/v2/organizations/{org_id}/members","items":"members"},
    update: {"method":"PATCH","path":"/v2/organizations/{org_id}/members/{member_id}","body":"json"},
    remove: {"method":"DELETE","path":"/v2/organizations/{org_id}/members/{member_id}"},
    resendInvite: {"method":"POST","path":"/v2/organizations/{org_id}/members/{member_id}/resend-invite"},
    invite: {"method":"POST","path":"/v2/organizations/{org_id}/members/invite","body":"json"},
    acceptInvite: {"method":"POST","path":"/v2/organizations/accept-invite","body":"json"},
  },
  models: {
    download: {"method":"GET","path":"/v1/agent/{code}/model/download","hasQuery":true,"answer":"data"},
    add: {"method":"POST","path":"/v1/agent/{code}/models","body":"json"},
    downloadSelfHosted: {"method":"GET","path":"/v1/agent/{code}/self-hosted-avatar","answer":"raw"},
    list: {"method":"GET","path":"/v1/models","items":"data"},
    get: {"method":"GET","path":"/v1/models/{model}"},
  },
  organizationSecrets: {
    create: {"method":"POST","path":"/v2/organizations/{org_id}/api-secrets","body":"json"},
    list: {"method":"GET","path":"/v2/organizations/{org_id}/api-secrets","items":"data"},
    revoke: {"method":"DELETE","path":"/v2/organizations/{org_id}/api-secrets/{alias}"},
  },
  organizations: {
    create: {"method":"POST","path":"/v2/organizations","body":"json"},
    get: {"method":"GET","path":"/v2/organizations/{org_id}"},
    update: {"method":"PATCH","path":"/v2/organizations/{org_id}","body":"json"},
    delete: {"method":"DELETE","path":"/v2/organizations/{org_id}"},
    listEvents: {"method":"GET","path":"/v2/organizations/{org_id}/audit-log","hasQuery":true,"items":"events","isPaged":true},
    transfer: {"method":"POST","path":"/v2/organizations/{org_id}/transfer-ownership","body":"json"},
    listUsage: {"method":"GET","path":"/v2/organizations/{org_id}/usage","items":"usage"},
    listOwn: {"method":"GET","path":"/v2/users/{user_id}/organizations","items":"organizations"},
  },
  pricing: {
    get: {"method":"GET","path":"/v1/pricing","answer":"data"},
  },
  providers: {
    list: {"method":"GET","path":"/v2/{user_id}/providers","items":"providers.entries"},
    replace: {"method":"PUT","path":"/v2/{user_id}/providers","body":"json"},
  },
  realtime: {
    connect: {"method":"POST","path":"/v1/realtime/connect","body":"json","hasQuery":true,"answer":"raw"},
  },
  runtimeTokens: {
    mint: {"method":"POST","path":"/v1/runtime-tokens/mint","body":"json"},
    request: {"method":"POST","path":"/v1/runtime-tokens/request","body":"either"},
  },
  samples: {
    download: {"method":"GET","path":"/v1/agent/sample-{slug}/model/download","isOpen":true,"hasQuery":true,"answer":"data"},
    list: {"method":"GET","path":"/v1/models/showcase","isOpen":true,"items":"models"},
  },
  secrets: {
    validate: {"method":"POST","path":"/v1/validate","isOpen":true},
    create: {"method":"POST","path":"/v2/{user_id}/api-secrets","body":"json"},
    list: {"method":"GET","path":"/v2/{user_id}/api-secrets","items":"data"},
    revoke: {"method":"DELETE","path":"/v2/{user_id}/api-secrets/{alias}"},
    reveal: {"method":"GET","path":"/v2/{user_id}/api-secrets/{alias}/get-value"},
  },
  sessionWebhook: {
    get: {"method":"GET","path":"/v2/{user_id}/session-webhook","answer":"data"},
    replace: {"method":"PUT","path":"/v2/{user_id}/session-webhook","body":"json","answer":"data"},
    listDeliveries: {"method":"GET","path":"/v2/{user_id}/session-webhook/deliveries","hasQuery":true,"items":"data"},
    test: {"method":"POST","path":"/v2/{user_id}/session-webhook/test","answer":"data"},
  },
  sessions: {
    launch: {"method":"POST","path":"/launch","body":"either"},
    get: {"method":"GET","path":"/v1/runtime-sessions/{session_id}"},
    end: {"method":"POST","path":"/v1/runtime-sessions/{session_id}/end"},
    still: {"method":"GET","path":"/v1/runtime-sessions/{session_id}/still","answer":"raw"},
    list: {"method":"GET","path":"/v2/{user_id}/runtime-sessions","hasQuery":true,"items":"data.sessions","isPaged":true},
    listMessages: {"method":"GET","path":"/v2/{user_id}/runtime-sessions/{session_id}/messages","items":"data.messages"},
    terminate: {"method":"POST","path":"/v2/{user_id}/runtime-sessions/{session_id}/terminate","body":"json","answer":"data"},
    listTurns: {"method":"GET","path":"/v2/{user_id}/runtime-sessions/{session_id}/turns","hasQuery":true,"items":"data.turns"},
    revokeAll: {"method":"POST","path":"/v2/{user_id}/runtime/revoke-all","body":"json","answer":"data"},
  },
  speech: {
    create: {"method":"POST","path":"/v1/audio/speech","body":"json","answer":"raw"},
    synthesize: {"method":"POST","path":"/v1/tts","body":"json","answer":"raw"},
  },
  studio: {
    axes: {"method":"GET","path":"/v1/studio/axes","items":"axes"},
    preview: {"method":"POST","path":"/v1/studio/preview","body":"json","answer":"raw"},
  },
  system: {
    readiness: {"method":"GET","path":"/readyz","isOpen":true},
  },
  transcriptions: {
    create: {"method":"POST","path":"/v1/audio/transcriptions","body":"form","answer":"raw"},
  },
  usage: {
    list: {"method":"GET","path":"/v1/usage","hasQuery":true,"items":"data","isPaged":true},
    group: {"method":"GET","path":"/v1/usage/groups","hasQuery":true,"answer":"data"},
  },
  videos: {
    get: {"method":"GET","path":"/v1/video/{job_id}"},
    delete: {"method":"DELETE","path":"/v1/video/{job_id}"},
    create: {"method":"POST","path":"/v1/video/generate","acceptsKey":true,"body":"either"},
    list: {"method":"GET","path":"/v1/videos","hasQuery":true,"items":"data","isPaged":true},
  },
  voices: {
    list: {"method":"GET","path":"/v1/voices","items":"voices"},
    preview: {"method":"GET","path":"/v1/voices/{voice_id}/preview","isOpen":true,"answer":"raw"},
  },
  webhooks: {
    create: {"method":"POST","path":"/v1/webhooks","body":"json","answer":"data"},
    list: {"method":"GET","path":"/v1/webhooks","items":"data"},
    get: {"method":"GET","path":"/v1/webhooks/{id}","answer":"data"},
    update: {"method":"PATCH","path":"/v1/webhooks/{id}","body":"json","answer":"data"},
    delete: {"method":"DELETE","path":"/v1/webhooks/{id}"},
    listDeliveries: {"method":"GET","path":"/v1/webhooks/{id}/deliveries","items":"data"},
    test: {"method":"POST","path":"/v1/webhooks/{id}/test","answer":"data"},
  },
} as const satisfies OperationTable;
