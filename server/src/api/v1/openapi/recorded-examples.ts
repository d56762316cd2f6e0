// Written by WAYBILL_RECORD=1 npm test -- server/src/api/v1/openapi/recorded-examples.test.ts
/** The example of an operation, recorded from a running server. */
export interface Example {
  /** Without the prefix of the API. */
  readonly path?: string;
  readonly request?: object;
  /** The JSON or the text of the response. */
  readonly response?: object | string;
}

/** One story, by the names of the operations; and a problem, what a webhook receives, and an event of each type that occurs. */
export const recordedExamples: Readonly<Record<string, Example>> = {
 "createApiKey": {
  "path": "/keys",
  "request": {
   "name": "nightly upload",
   "scopes": [
    "send",
    "history"
   ],
   "networks": [
    "192.0.2.0/24"
   ],
   "expires_at": "2100-01-01T00:00:00Z"
  },
  "response": {
   "id": "01b97732-de80-743e-8e50-0018cedfa127",
   "name": "nightly upload",
   "mode": "live",
   "hint": "wb_3fK9",
   "scopes": [
    "send",
    "history"
   ],
   "networks": [
    "192.0.2.0/24"
   ],
   "created_at": "2030-01-31T09:00:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "expires_at": "2100-01-01T00:00:00.000Z",
   "last_used_at": null,
   "revoked_at": null,
   "api_key": "wb_3fK9…"
  }
 },
 "listApiKeys": {
  "path": "/keys",
  "response": {
   "data": [
    {
     "id": "01b97732-de80-743e-8e50-0018cedfa127",
     "name": "nightly upload",
     "mode": "live",
     "hint": "wb_3fK9",
     "scopes": [
      "send",
      "history"
     ],
     "networks": [
      "192.0.2.0/24"
     ],
     "created_at": "2030-01-31T09:00:00.000Z",
     "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
     "expires_at": "2100-01-01T00:00:00.000Z",
     "last_used_at": null,
     "revoked_at": null
    },
    {
     "id": "01b97732-de80-775b-8150-00aa69b9fe14",
     "name": "",
     "mode": "live",
     "hint": "wb_3fK9",
     "scopes": null,
     "networks": null,
     "created_at": "2030-01-31T08:00:00.000Z",
     "created_by": null,
     "expires_at": null,
     "last_used_at": "2030-01-31T09:00:00.000Z",
     "revoked_at": null
    }
   ],
   "next_cursor": null
  }
 },
 "putContact": {
  "path": "/contacts/anna@example.org",
  "request": {
   "name": "Anna Berg",
   "phone": "46701234567",
   "language": "sv",
   "groups": [
    "press"
   ]
  },
  "response": {
   "email": "anna@example.org",
   "name": "Anna Berg",
   "phone": "46701234567",
   "language": "sv",
   "groups": [
    "press"
   ],
   "list": "local"
  }
 },
 "getContact": {
  "path": "/contacts/anna@example.org",
  "response": {
   "email": "anna@example.org",
   "name": "Anna Berg",
   "phone": "46701234567",
   "language": "sv",
   "groups": [
    "press"
   ],
   "list": "local"
  }
 },
 "checkContactImport": {
  "path": "/contacts/import/check",
  "request": {
   "contacts": [
    {
     "email": "anna@example.org",
     "groups": [
      "press",
      "plant 2"
     ]
    },
    {
     "email": "bo@example.org"
    }
   ]
  },
  "response": {
   "created": 1,
   "changed": 1,
   "unchanged": 0,
   "contacts": [
    {
     "email": "anna@example.org",
     "result": "changed"
    },
    {
     "email": "bo@example.org",
     "result": "created"
    }
   ]
  }
 },
 "importContacts": {
  "path": "/contacts/import",
  "request": {
   "contacts": [
    {
     "email": "anna@example.org",
     "groups": [
      "press",
      "plant 2"
     ]
    },
    {
     "email": "bo@example.org"
    }
   ]
  },
  "response": {
   "created": 1,
   "changed": 1,
   "unchanged": 0,
   "contacts": [
    {
     "email": "anna@example.org",
     "result": "changed"
    },
    {
     "email": "bo@example.org",
     "result": "created"
    }
   ]
  }
 },
 "listContacts": {
  "path": "/contacts",
  "response": {
   "data": [
    {
     "email": "anna@example.org",
     "name": "Anna Berg",
     "phone": "46701234567",
     "language": "sv",
     "groups": [
      "press",
      "plant 2"
     ],
     "list": "local"
    },
    {
     "email": "bo@example.org",
     "name": "",
     "phone": "",
     "language": "",
     "groups": [],
     "list": "local"
    }
   ],
   "next_cursor": null
  }
 },
 "createWebhook": {
  "path": "/webhooks",
  "request": {
   "url": "https://example.org/waybill",
   "types": [
    "drop.completed",
    "inbox.received"
   ],
   "description": "archive"
  },
  "response": {
   "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
   "url": "https://example.org/waybill",
   "types": [
    "drop.completed",
    "inbox.received"
   ],
   "scopes": null,
   "description": "archive",
   "public_keys": [
    "whpk_…"
   ],
   "created_at": "2030-01-31T09:07:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "previous_secret_until": null,
   "failing_since": null,
   "disabled_at": null,
   "disabled_reason": null,
   "secret": "whsec_…"
  }
 },
 "getWebhook": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a",
  "response": {
   "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
   "url": "https://example.org/waybill",
   "types": [
    "drop.completed",
    "inbox.received"
   ],
   "scopes": null,
   "description": "archive",
   "public_keys": [
    "whpk_…"
   ],
   "created_at": "2030-01-31T09:07:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "previous_secret_until": null,
   "failing_since": null,
   "disabled_at": null,
   "disabled_reason": null
  }
 },
 "listWebhooks": {
  "path": "/webhooks",
  "response": {
   "data": [
    {
     "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
     "url": "https://example.org/waybill",
     "types": [
      "drop.completed",
      "inbox.received"
     ],
     "scopes": null,
     "description": "archive",
     "public_keys": [
      "whpk_…"
     ],
     "created_at": "2030-01-31T09:07:00.000Z",
     "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
     "previous_secret_until": null,
     "failing_since": null,
     "disabled_at": null,
     "disabled_reason": null
    }
   ],
   "next_cursor": null
  }
 },
 "createUpload": {
  "path": "/uploads",
  "response": {
   "id": "01b97769-cd00-7426-80a0-0046c0bd0c51",
   "name": "report.pdf",
   "path": "drawings/may/report.pdf",
   "media_type": "application/pdf",
   "state": "ready",
   "size": 184320,
   "received": 184320,
   "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
   "scan": "clean",
   "unscanned_reason": null,
   "refusal": null,
   "created_at": "2030-01-31T10:00:00.000Z",
   "expires_at": "2030-02-07T10:00:00.000Z"
  }
 },
 "getUpload": {
  "path": "/uploads/01b97769-cd00-7426-80a0-0046c0bd0c51",
  "response": {
   "id": "01b97769-cd00-7426-80a0-0046c0bd0c51",
   "name": "report.pdf",
   "path": "drawings/may/report.pdf",
   "media_type": "application/pdf",
   "state": "ready",
   "size": 184320,
   "received": 184320,
   "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
   "scan": "clean",
   "unscanned_reason": null,
   "refusal": null,
   "created_at": "2030-01-31T10:00:00.000Z",
   "expires_at": "2030-02-07T10:00:00.000Z"
  }
 },
 "listUploads": {
  "path": "/uploads?state=ready",
  "response": {
   "data": [
    {
     "id": "01b97769-cd00-7426-80a0-0046c0bd0c51",
     "name": "report.pdf",
     "path": "drawings/may/report.pdf",
     "media_type": "application/pdf",
     "state": "ready",
     "size": 184320,
     "received": 184320,
     "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
     "scan": "clean",
     "unscanned_reason": null,
     "refusal": null,
     "created_at": "2030-01-31T10:00:00.000Z",
     "expires_at": "2030-02-07T10:00:00.000Z"
    }
   ],
   "next_cursor": null
  }
 },
 "getUploadOptions": {
  "path": "/uploads"
 },
 "getUploadOffset": {
  "path": "/uploads/01b97769-cd00-79e2-87a0-00d56a98576d"
 },
 "continueUpload": {
  "path": "/uploads/01b97769-cd00-79e2-87a0-00d56a98576d"
 },
 "deleteUpload": {
  "path": "/uploads/01b97769-cd00-79e2-87a0-00d56a98576d"
 },
 "checkDrop": {
  "path": "/drops/check",
  "request": {
   "uploads": [
    "01b97769-cd00-7426-80a0-0046c0bd0c51"
   ],
   "receivers": [
    {
     "email": "anna@example.org",
     "name": "Anna Berg"
    }
   ],
   "message": "The drawings of May.",
   "expires_in": 604800,
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   }
  },
  "response": {
   "receiver_count": 1,
   "file_count": 1,
   "size": 184320,
   "expires_in": 604800
  }
 },
 "problem": {
  "path": "/drops",
  "request": {
   "uploads": [
    "01b97769-cd00-7426-80a0-0046c0bd0c51"
   ],
   "receivers": [
    {
     "email": "anna@example.org",
     "name": "Anna Berg"
    },
    {
     "email": "bo@example"
    }
   ],
   "message": "The drawings of May.",
   "expires_in": 604800,
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   }
  },
  "response": {
   "type": "https://files.example.org/docs/problems#invalid_input",
   "title": "Invalid input",
   "status": 400,
   "detail": "\"bo@example\" is not an e-mail address we can use. Write it as name@example.org.",
   "code": "invalid_input",
   "instance": "urn:waybill:http-request:2bf29d-5c0e8a71b94d23f6",
   "errors": [
    {
     "pointer": "/receivers/1/email",
     "detail": "\"bo@example\" is not an e-mail address we can use. Write it as name@example.org.",
     "code": "invalid"
    }
   ]
  }
 },
 "createDrop": {
  "path": "/drops",
  "request": {
   "uploads": [
    "01b97769-cd00-7426-80a0-0046c0bd0c51"
   ],
   "receivers": [
    {
     "email": "anna@example.org",
     "name": "Anna Berg"
    }
   ],
   "message": "The drawings of May.",
   "expires_in": 604800,
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   }
  },
  "response": {
   "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "reference": "WB-7F3K-29QD",
   "state": "live",
   "title": null,
   "message": "The drawings of May.",
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   },
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T11:02:00.000Z",
   "expires_at": "2030-02-07T11:02:00.000Z",
   "revoked_at": null,
   "receiver_count": 1,
   "file_count": 1,
   "receivers": [
    {
     "id": 0,
     "email": "anna@example.org"
    }
   ]
  }
 },
 "remindDropReceivers": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/remind",
  "response": {
   "reminded": 1
  }
 },
 "addDropReceiver": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/receivers",
  "request": {
   "email": "bo@example.org"
  },
  "response": {
   "id": 1,
   "email": "bo@example.org"
  }
 },
 "resendDropInvitation": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/receivers/1/resend"
 },
 "revokeDropReceiver": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/receivers/1/revoke",
  "response": {
   "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "reference": "WB-7F3K-29QD",
   "state": "live",
   "title": null,
   "message": "The drawings of May.",
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   },
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T11:02:00.000Z",
   "expires_at": "2030-02-07T11:02:00.000Z",
   "revoked_at": null,
   "receiver_count": 2,
   "file_count": 1
  }
 },
 "getDrop": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed",
  "response": {
   "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "reference": "WB-7F3K-29QD",
   "state": "live",
   "title": null,
   "message": "The drawings of May.",
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   },
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T11:02:00.000Z",
   "expires_at": "2030-02-07T11:02:00.000Z",
   "revoked_at": null,
   "receiver_count": 2,
   "file_count": 1,
   "activity_purged": false,
   "receivers": [
    {
     "id": 0,
     "email": "anna@example.org",
     "name": "Anna Berg",
     "phone": "46701234567",
     "language": "sv",
     "state": "completed",
     "notified_at": "2030-01-31T11:03:00.000Z",
     "undeliverable_at": null,
     "undeliverable_reason": null,
     "opened_at": "2030-01-31T11:10:00.000Z",
     "revoked_at": null,
     "completed_at": "2030-01-31T11:11:00.000Z",
     "files_delivered": 1
    },
    {
     "id": 1,
     "email": "bo@example.org",
     "name": null,
     "phone": "",
     "language": "",
     "state": "revoked",
     "notified_at": "2030-01-31T11:06:00.000Z",
     "undeliverable_at": null,
     "undeliverable_reason": null,
     "opened_at": null,
     "revoked_at": "2030-01-31T11:09:00.000Z",
     "completed_at": null,
     "files_delivered": 0
    }
   ],
   "files": [
    {
     "id": "01b97769-cd00-7426-80a0-0046c0bd0c51",
     "name": "report.pdf",
     "path": "drawings/may/report.pdf",
     "media_type": "application/pdf",
     "size": 184320,
     "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
     "scan": "clean",
     "unscanned_reason": null,
     "state": "available",
     "receivers_delivered": 1
    }
   ]
  }
 },
 "describeDropFile": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/files/01b97769-cd00-7426-80a0-0046c0bd0c51"
 },
 "describeDropZip": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/all.zip"
 },
 "downloadDropFile": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/files/01b97769-cd00-7426-80a0-0046c0bd0c51"
 },
 "downloadDropZip": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/all.zip"
 },
 "listDrops": {
  "path": "/drops?state=live",
  "response": {
   "data": [
    {
     "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
     "reference": "WB-7F3K-29QD",
     "state": "live",
     "title": null,
     "message": "The drawings of May.",
     "external_id": "order-4711",
     "metadata": {
      "project": "northern bridge"
     },
     "second_factor": "off",
     "has_passphrase": false,
     "notify": true,
     "created_at": "2030-01-31T11:02:00.000Z",
     "expires_at": "2030-02-07T11:02:00.000Z",
     "revoked_at": null,
     "receiver_count": 2,
     "file_count": 1
    }
   ],
   "next_cursor": null
  }
 },
 "listReceipts": {
  "path": "/receipts?reference=01b977a0-bb80-7e90-8fc0-003bc73126ed",
  "response": {
   "data": [
    {
     "type": "drop",
     "email": "anna@example.org",
     "name": "Anna Berg",
     "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
     "receiver_id": 0
    },
    {
     "type": "drop",
     "email": "bo@example.org",
     "name": null,
     "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
     "receiver_id": 1
    }
   ],
   "next_cursor": null
  }
 },
 "getDropReceiptPdf": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/receivers/0/receipt.pdf"
 },
 "getDropReceipt": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/receivers/0/receipt.json",
  "response": {
   "checkpoints": [
    "…"
   ],
   "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "entries": [
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:02:00.000Z",
      "data": {
       "expires_at": "2030-02-07T11:02:00.000Z",
       "files": [
        {
         "name": "drawings/may/report.pdf",
         "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
         "size": 184320
        }
       ],
       "message_sha256": "6ac6784a9b1f3c65d8d873b95044278069ba041175a519950c5185cd95d7492d",
       "receivers": 1,
       "reference": "WB-7F3K-29QD",
       "sender": {
        "address": "orders@example.org",
        "by": "key"
       },
       "type": "drop"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4de6-8510-0010cff02301",
      "kind": "submission.accepted",
      "number": 0
     },
     "index": 1,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:02:00.000Z",
      "data": {
       "address": "anna@example.org",
       "code": "none",
       "name": "Anna Berg",
       "notified": true
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-48fb-81c0-00f08aa0e265",
      "kind": "content.consigned",
      "number": 0,
      "receiver": 0
     },
     "index": 2,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:03:00.000Z",
      "data": {
       "channel": "mail",
       "purpose": "invitation",
       "response": "250 2.0.0 Ok: queued as 1",
       "to": "anna@example.org"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4b2b-8380-0010e9043090",
      "kind": "notification.sent",
      "number": 1,
      "receiver": 0
     },
     "index": 3,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:06:00.000Z",
      "data": {
       "channel": "mail",
       "purpose": "reminder",
       "response": "250 2.0.0 Ok: queued as 2",
       "to": "anna@example.org"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4409-8880-00547f0c86b5",
      "kind": "notification.sent",
      "number": 2,
      "receiver": 0
     },
     "index": 5,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:10:00.000Z",
      "data": {},
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4720-8080-002d84144015",
      "kind": "link.opened",
      "number": 3,
      "receiver": 0
     },
     "index": 9,
     "proof": [
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:11:00.000Z",
      "data": {
       "file": {
        "name": "drawings/may/report.pdf",
        "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
        "size": 184320
       },
       "via": "link"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4c00-8380-00a5ad3a79d7",
      "kind": "content.handed_over",
      "number": 4,
      "receiver": 0
     },
     "index": 10,
     "proof": [
      "…",
      "…"
     ],
     "salt": "…"
    }
   ],
   "issued_at": "2030-01-31T11:21:00.000Z",
   "receiver": 0,
   "type": "waybill-receipt@v1"
  }
 },
 "extendDrop": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/extend",
  "request": {
   "expires_in": 1209600
  },
  "response": {
   "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "reference": "WB-7F3K-29QD",
   "state": "live",
   "title": null,
   "message": "The drawings of May.",
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   },
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T11:02:00.000Z",
   "expires_at": "2030-02-14T11:22:00.000Z",
   "revoked_at": null,
   "receiver_count": 2,
   "file_count": 1
  }
 },
 "checkRequest": {
  "path": "/requests/check",
  "request": {
   "receivers": [
    {
     "email": "anna@example.org",
     "name": "Anna Berg",
     "language": "sv"
    }
   ],
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note"
    }
   ],
   "expires_in": 604800,
   "reusable": true
  },
  "response": {
   "receiver_count": 1,
   "expires_in": 604800
  }
 },
 "createRequest": {
  "path": "/requests",
  "request": {
   "receivers": [
    {
     "email": "anna@example.org",
     "name": "Anna Berg",
     "language": "sv"
    }
   ],
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note"
    }
   ],
   "expires_in": 604800,
   "reusable": true
  },
  "response": {
   "id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "state": "live",
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "external_id": null,
   "metadata": null,
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T13:01:00.000Z",
   "expires_at": "2030-02-07T13:01:00.000Z",
   "revoked_at": null,
   "receiver_count": 1,
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note",
     "note": ""
    }
   ],
   "reusable": true,
   "receivers": [
    {
     "id": 0,
     "email": "anna@example.org"
    }
   ]
  }
 },
 "remindRequestReceivers": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/remind",
  "response": {
   "reminded": 1
  }
 },
 "addRequestReceiver": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/receivers",
  "request": {
   "email": "bo@example.org"
  },
  "response": {
   "id": 1,
   "email": "bo@example.org"
  }
 },
 "resendRequestInvitation": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/receivers/1/resend"
 },
 "getRequest": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6",
  "response": {
   "id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "state": "live",
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "external_id": null,
   "metadata": null,
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T13:01:00.000Z",
   "expires_at": "2030-02-07T13:01:00.000Z",
   "revoked_at": null,
   "receiver_count": 2,
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note",
     "note": ""
    }
   ],
   "reusable": true,
   "activity_purged": false,
   "receivers": [
    {
     "id": 0,
     "email": "anna@example.org",
     "name": "Anna Berg",
     "phone": "46701234567",
     "language": "sv",
     "state": "fulfilled",
     "notified_at": "2030-01-31T13:02:00.000Z",
     "undeliverable_at": null,
     "undeliverable_reason": null,
     "opened_at": "2030-01-31T13:08:00.000Z",
     "revoked_at": null,
     "fulfilled_at": "2030-01-31T13:09:00.000Z",
     "last_received_at": "2030-01-31T13:10:00.000Z",
     "sendings": 2,
     "files_received": 2
    },
    {
     "id": 1,
     "email": "bo@example.org",
     "name": null,
     "phone": "",
     "language": "",
     "state": "notified",
     "notified_at": "2030-01-31T13:05:00.000Z",
     "undeliverable_at": null,
     "undeliverable_reason": null,
     "opened_at": null,
     "revoked_at": null,
     "fulfilled_at": null,
     "last_received_at": null,
     "sendings": 0,
     "files_received": 0
    }
   ]
  }
 },
 "listRequests": {
  "path": "/requests?state=live",
  "response": {
   "data": [
    {
     "id": "01b9780e-9880-70cd-8590-0045187df0e6",
     "reference": "WB-8MC7-VW76",
     "state": "live",
     "title": "Invoices of May",
     "message": "Please send the invoices of May.",
     "external_id": null,
     "metadata": null,
     "second_factor": "off",
     "has_passphrase": false,
     "notify": true,
     "created_at": "2030-01-31T13:01:00.000Z",
     "expires_at": "2030-02-07T13:01:00.000Z",
     "revoked_at": null,
     "receiver_count": 2,
     "wanted_files": [
      {
       "name": "Invoice of May",
       "note": "As PDF"
      },
      {
       "name": "Delivery note",
       "note": ""
      }
     ],
     "reusable": true
    }
   ],
   "next_cursor": null
  }
 },
 "getRequestReceiptPdf": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/receivers/0/receipt.pdf"
 },
 "getRequestReceipt": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/receivers/0/receipt.json",
  "response": {
   "checkpoints": [
    "…"
   ],
   "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
   "entries": [
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:01:00.000Z",
      "data": {
       "expires_at": "2030-02-07T13:01:00.000Z",
       "files": [],
       "message_sha256": "ad5b8b9ac07e57d7849aebc52f76cd4ccb06494bfc05a4fa56d280a15f628506",
       "receivers": 1,
       "reference": "WB-8MC7-VW76",
       "sender": {
        "address": "orders@example.org",
        "by": "key"
       },
       "type": "request"
      },
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-4827-8630-00f5a518f99d",
      "kind": "submission.accepted",
      "number": 0
     },
     "index": 12,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:01:00.000Z",
      "data": {
       "address": "anna@example.org",
       "code": "none",
       "name": "Anna Berg",
       "notified": true
      },
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-412b-89f0-00274b8818aa",
      "kind": "content.consigned",
      "number": 0,
      "receiver": 0
     },
     "index": 13,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:02:00.000Z",
      "data": {
       "channel": "mail",
       "purpose": "invitation",
       "response": "250 2.0.0 Ok: queued as 6",
       "to": "anna@example.org"
      },
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-4ada-81e0-008eabcf3ece",
      "kind": "notification.sent",
      "number": 1,
      "receiver": 0
     },
     "index": 14,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:05:00.000Z",
      "data": {
       "channel": "mail",
       "purpose": "reminder",
       "response": "250 2.0.0 Ok: queued as 7",
       "to": "anna@example.org"
      },
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-47df-83f0-00e2caaf7d5c",
      "kind": "notification.sent",
      "number": 2,
      "receiver": 0
     },
     "index": 16,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:08:00.000Z",
      "data": {},
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-43f4-8d80-002b6785aa99",
      "kind": "link.opened",
      "number": 3,
      "receiver": 0
     },
     "index": 19,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:09:00.000Z",
      "data": {
       "files": [
        {
         "name": "invoice.pdf",
         "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
         "size": 52480
        }
       ],
       "reference": "WB-FJ87-F6K4"
      },
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-4b35-86c0-00e514ecb215",
      "kind": "content.received",
      "number": 4,
      "receiver": 0
     },
     "index": 21,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:10:00.000Z",
      "data": {
       "files": [
        {
         "name": "invoice.pdf",
         "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
         "size": 52480
        }
       ],
       "reference": "WB-NHKD-4AKM"
      },
      "drop": "01b9780e-9880-70cd-8590-0045187df0e6",
      "id": "01b9780e-9880-4aaf-8010-0031560f35e7",
      "kind": "content.received",
      "number": 5,
      "receiver": 0
     },
     "index": 23,
     "proof": [
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    }
   ],
   "issued_at": "2030-01-31T13:15:00.000Z",
   "receiver": 0,
   "type": "waybill-receipt@v1"
  }
 },
 "getLinkDrop": {
  "path": "/link/drop",
  "response": {
   "reference": "WB-7F3K-29QD",
   "sender": {
    "name": "Acme Orders",
    "email": "orders@example.org"
   },
   "title": null,
   "message": "The drawings of May.",
   "created_at": "2030-01-31T11:02:00.000Z",
   "expires_at": "2030-02-14T11:22:00.000Z",
   "completed_at": "2030-01-31T11:11:00.000Z",
   "files": [
    {
     "id": "01b97769-cd00-7426-80a0-0046c0bd0c51",
     "name": "report.pdf",
     "path": "drawings/may/report.pdf",
     "size": 184320,
     "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
     "scan": "clean",
     "unscanned_reason": null,
     "delivered": true
    }
   ]
  }
 },
 "describeLinkFile": {
  "path": "/link/files/01b97769-cd00-7426-80a0-0046c0bd0c51"
 },
 "describeLinkZip": {
  "path": "/link/all.zip"
 },
 "downloadLinkFile": {
  "path": "/link/files/01b97769-cd00-7426-80a0-0046c0bd0c51"
 },
 "downloadLinkZip": {
  "path": "/link/all.zip"
 },
 "getLinkReceiptPdf": {
  "path": "/link/receipt.pdf"
 },
 "getLinkReceipt": {
  "path": "/link/receipt.json",
  "response": {
   "checkpoints": [
    "…"
   ],
   "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "entries": [
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:02:00.000Z",
      "data": {
       "expires_at": "2030-02-07T11:02:00.000Z",
       "files": [
        {
         "name": "drawings/may/report.pdf",
         "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
         "size": 184320
        }
       ],
       "message_sha256": "6ac6784a9b1f3c65d8d873b95044278069ba041175a519950c5185cd95d7492d",
       "receivers": 1,
       "reference": "WB-7F3K-29QD",
       "sender": {
        "address": "orders@example.org",
        "by": "key"
       },
       "type": "drop"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4de6-8510-0010cff02301",
      "kind": "submission.accepted",
      "number": 0
     },
     "index": 1,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:02:00.000Z",
      "data": {
       "address": "anna@example.org",
       "code": "none",
       "name": "Anna Berg",
       "notified": true
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-48fb-81c0-00f08aa0e265",
      "kind": "content.consigned",
      "number": 0,
      "receiver": 0
     },
     "index": 2,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:03:00.000Z",
      "data": {
       "channel": "mail",
       "purpose": "invitation",
       "response": "250 2.0.0 Ok: queued as 1",
       "to": "anna@example.org"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4b2b-8380-0010e9043090",
      "kind": "notification.sent",
      "number": 1,
      "receiver": 0
     },
     "index": 3,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:06:00.000Z",
      "data": {
       "channel": "mail",
       "purpose": "reminder",
       "response": "250 2.0.0 Ok: queued as 2",
       "to": "anna@example.org"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4409-8880-00547f0c86b5",
      "kind": "notification.sent",
      "number": 2,
      "receiver": 0
     },
     "index": 5,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:10:00.000Z",
      "data": {},
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4720-8080-002d84144015",
      "kind": "link.opened",
      "number": 3,
      "receiver": 0
     },
     "index": 9,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:11:00.000Z",
      "data": {
       "file": {
        "name": "drawings/may/report.pdf",
        "sha256": "068a2c28a46f6efbb19533eb8caed5b7b73447956e167f2bd930db0e54954ea4",
        "size": 184320
       },
       "via": "link"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977a0-bb80-4c00-8380-00a5ad3a79d7",
      "kind": "content.handed_over",
      "number": 4,
      "receiver": 0
     },
     "index": 10,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T11:22:00.000Z",
      "data": {
       "expires_at": "2030-02-14T11:22:00.000Z"
      },
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977d7-aa00-49bc-8a40-007b8062b3e4",
      "kind": "drop.extended",
      "number": 1
     },
     "index": 11,
     "proof": [
      "…",
      "…",
      "…",
      "…",
      "…"
     ],
     "salt": "…"
    },
    {
     "checkpoint": 0,
     "event": {
      "at": "2030-01-31T13:15:00.000Z",
      "data": {},
      "drop": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "id": "01b977d7-aa00-45f8-8c50-00bd8e742b7f",
      "kind": "link.opened",
      "number": 5,
      "receiver": 0
     },
     "index": 24,
     "proof": [
      "…",
      "…"
     ],
     "salt": "…"
    }
   ],
   "issued_at": "2030-01-31T12:06:00.000Z",
   "receiver": 0,
   "type": "waybill-receipt@v1"
  }
 },
 "openLink": {
  "path": "/link/open",
  "request": {
   "secret": "hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA",
   "kind": "upload"
  },
  "response": {
   "session": "wbl_Vb1sT7yQe0mWc4Kx9Jd2LnRz8GpHf3uAoY6iXkN5tEg",
   "session_expires_at": "2030-02-01T12:07:00.000Z",
   "kind": "upload",
   "reference": "WB-6J9K-1C6D",
   "expires_at": "2030-02-07T12:06:00.000Z",
   "passphrase_required": true,
   "shared": null,
   "max_downloads": null,
   "code": null
  }
 },
 "getLink": {
  "path": "/link",
  "response": {
   "kind": "upload",
   "reference": "WB-6J9K-1C6D",
   "expires_at": "2030-02-07T12:06:00.000Z",
   "passphrase_required": true,
   "shared": null,
   "max_downloads": null,
   "code": null
  }
 },
 "enterLinkPassphrase": {
  "path": "/link/passphrase",
  "request": {
   "passphrase": "copper lantern drift 42"
  },
  "response": {
   "kind": "upload",
   "reference": "WB-6J9K-1C6D",
   "expires_at": "2030-02-07T12:06:00.000Z",
   "passphrase_required": false,
   "shared": null,
   "max_downloads": null,
   "code": {
    "channel": "mail",
    "to": "b•••@example.org",
    "state": "sent",
    "expires_at": "2030-01-31T12:19:00.000Z",
    "tries_left": 5
   }
  }
 },
 "sendLinkCode": {
  "path": "/link/code/send",
  "response": {
   "channel": "mail",
   "to": "b•••@example.org",
   "state": "sent",
   "expires_at": "2030-01-31T12:20:00.000Z",
   "tries_left": 5
  }
 },
 "enterLinkCode": {
  "path": "/link/code",
  "request": {
   "code": "123456"
  }
 },
 "getLinkRequest": {
  "path": "/link/request",
  "response": {
   "reference": "WB-6J9K-1C6D",
   "sender": {
    "name": "Acme Orders",
    "email": "orders@example.org"
   },
   "title": null,
   "message": "The site plan, please.",
   "created_at": "2030-01-31T12:06:00.000Z",
   "expires_at": "2030-02-07T12:06:00.000Z",
   "wanted_files": [],
   "reusable": false,
   "used": false,
   "max_files": 1000,
   "max_file_size": 104857600,
   "last_sent": null
  }
 },
 "getLinkUploadOptions": {
  "path": "/link/uploads"
 },
 "createLinkUpload": {
  "path": "/link/uploads"
 },
 "deleteLinkUpload": {
  "path": "/link/uploads/01b977d7-aa00-7edf-8bb0-00d949034a1b"
 },
 "getLinkUploadOffset": {
  "path": "/link/uploads/01b977d7-aa00-731a-8320-003d13abcf7e"
 },
 "continueLinkUpload": {
  "path": "/link/uploads/01b977d7-aa00-731a-8320-003d13abcf7e"
 },
 "getLinkUpload": {
  "path": "/link/uploads/01b977d7-aa00-731a-8320-003d13abcf7e",
  "response": {
   "id": "01b977d7-aa00-731a-8320-003d13abcf7e",
   "name": "plan.pdf",
   "path": "plan.pdf",
   "media_type": "application/octet-stream",
   "state": "ready",
   "size": 52480,
   "received": 52480,
   "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
   "scan": "clean",
   "unscanned_reason": null,
   "refusal": null,
   "created_at": "2030-01-31T12:16:00.000Z",
   "expires_at": "2030-02-07T12:18:00.000Z"
  }
 },
 "listLinkUploads": {
  "path": "/link/uploads",
  "response": {
   "data": [
    {
     "id": "01b977d7-aa00-731a-8320-003d13abcf7e",
     "name": "plan.pdf",
     "path": "plan.pdf",
     "media_type": "application/octet-stream",
     "state": "ready",
     "size": 52480,
     "received": 52480,
     "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
     "scan": "clean",
     "unscanned_reason": null,
     "refusal": null,
     "created_at": "2030-01-31T12:16:00.000Z",
     "expires_at": "2030-02-07T12:18:00.000Z"
    }
   ]
  }
 },
 "sendThroughLink": {
  "path": "/link/send",
  "request": {
   "message": "The site plan."
  },
  "response": {
   "sent_at": "2030-01-31T12:21:00.000Z",
   "files": [
    {
     "path": "plan.pdf",
     "size": 52480,
     "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e"
    }
   ]
  }
 },
 "closeLink": {
  "path": "/link/close"
 },
 "createSharedLink": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/shared-links",
  "request": {
   "kind": "anybody",
   "max_downloads": 10,
   "expires_in": 86400
  },
  "response": {
   "id": 1000000,
   "kind": "anybody",
   "state": "live",
   "created_at": "2030-01-31T16:00:00.000Z",
   "created_by": "orders@example.org",
   "expires_at": "2030-02-01T16:00:00.000Z",
   "revoked_at": null,
   "visits": 0,
   "opened_at": null,
   "max_downloads": 10,
   "downloads": 0,
   "last_download_at": null,
   "link": "https://files.example.org/d/hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA"
  }
 },
 "listSharedLinks": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/shared-links",
  "response": {
   "shared_links": [
    {
     "id": 1000000,
     "kind": "anybody",
     "state": "live",
     "created_at": "2030-01-31T16:00:00.000Z",
     "created_by": "orders@example.org",
     "expires_at": "2030-02-01T16:00:00.000Z",
     "revoked_at": null,
     "visits": 0,
     "opened_at": null,
     "max_downloads": 10,
     "downloads": 0,
     "last_download_at": null
    }
   ]
  }
 },
 "revokeSharedLink": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/shared-links/1000000/revoke",
  "response": {
   "id": 1000000,
   "kind": "anybody",
   "state": "revoked",
   "created_at": "2030-01-31T16:00:00.000Z",
   "created_by": "orders@example.org",
   "expires_at": "2030-02-01T16:00:00.000Z",
   "revoked_at": "2030-01-31T16:02:00.000Z",
   "visits": 0,
   "opened_at": null,
   "max_downloads": 10,
   "downloads": 0,
   "last_download_at": null
  }
 },
 "nameLinkReceiver": {
  "path": "/link/receiver",
  "request": {
   "email": "anna@example.org"
  }
 },
 "listInbox": {
  "path": "/inbox",
  "response": {
   "data": [
    {
     "id": "01b97845-8700-74d8-86b0-00e071e9cae1",
     "state": "available",
     "sender": "bo@example.org",
     "title": null,
     "message": "The site plan.",
     "request_id": "01b97845-8700-74b3-8ca0-001bc6c9546c",
     "reference": "WB-3F3C-JN3C",
     "external_id": null,
     "unsolicited": false,
     "file_count": 1,
     "received_at": "2030-01-31T12:21:00.000Z",
     "expires_at": "2030-02-07T12:21:00.000Z",
     "attempts": 0,
     "available_at": "2030-01-31T12:21:00.000Z",
     "lease_ends_at": null,
     "parked_at": null,
     "acknowledged_at": null
    },
    {
     "id": "01b97845-8700-726d-80e0-008ed7735f78",
     "state": "available",
     "sender": "anna@example.org",
     "title": null,
     "message": "And the corrected one.",
     "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
     "reference": "WB-8MC7-VW76",
     "external_id": null,
     "unsolicited": false,
     "file_count": 1,
     "received_at": "2030-01-31T13:10:00.000Z",
     "expires_at": "2030-02-07T13:10:00.000Z",
     "attempts": 0,
     "available_at": "2030-01-31T13:10:00.000Z",
     "lease_ends_at": null,
     "parked_at": null,
     "acknowledged_at": null
    },
    {
     "id": "01b97845-8700-71f9-8a40-0069f99998ad",
     "state": "available",
     "sender": "anna@example.org",
     "title": null,
     "message": "The invoice of May.",
     "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
     "reference": "WB-8MC7-VW76",
     "external_id": null,
     "unsolicited": false,
     "file_count": 1,
     "received_at": "2030-01-31T13:09:00.000Z",
     "expires_at": "2030-02-07T13:09:00.000Z",
     "attempts": 0,
     "available_at": "2030-01-31T13:09:00.000Z",
     "lease_ends_at": null,
     "parked_at": null,
     "acknowledged_at": null
    }
   ],
   "next_cursor": null
  }
 },
 "claimInboxEntries": {
  "path": "/inbox/claim",
  "request": {
   "max": 10,
   "lease_seconds": 300,
   "wait": 20
  },
  "response": {
   "data": [
    {
     "id": "01b97845-8700-71f9-8a40-0069f99998ad",
     "state": "claimed",
     "sender": "anna@example.org",
     "title": null,
     "message": "The invoice of May.",
     "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
     "reference": "WB-8MC7-VW76",
     "external_id": null,
     "unsolicited": false,
     "file_count": 1,
     "received_at": "2030-01-31T13:09:00.000Z",
     "expires_at": "2030-02-07T13:09:00.000Z",
     "attempts": 1,
     "available_at": null,
     "lease_ends_at": "2030-01-31T14:06:00.000Z",
     "parked_at": null,
     "acknowledged_at": null,
     "lease": "01b97845-8700-7550-8c80-00c9e6637172",
     "files": [
      {
       "id": "01b97845-8700-74cb-81f0-0049452885cd",
       "name": "invoice.pdf",
       "path": "invoice.pdf",
       "size": 52480,
       "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
       "scan": "clean",
       "unscanned_reason": null,
       "wanted_file": null
      }
     ]
    },
    {
     "id": "01b97845-8700-726d-80e0-008ed7735f78",
     "state": "claimed",
     "sender": "anna@example.org",
     "title": null,
     "message": "And the corrected one.",
     "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
     "reference": "WB-8MC7-VW76",
     "external_id": null,
     "unsolicited": false,
     "file_count": 1,
     "received_at": "2030-01-31T13:10:00.000Z",
     "expires_at": "2030-02-07T13:10:00.000Z",
     "attempts": 1,
     "available_at": null,
     "lease_ends_at": "2030-01-31T14:06:00.000Z",
     "parked_at": null,
     "acknowledged_at": null,
     "lease": "01b97845-8700-7550-8c80-00c9e6637172",
     "files": [
      {
       "id": "01b97845-8700-79f6-8020-003e8d9b7b7e",
       "name": "invoice.pdf",
       "path": "invoice.pdf",
       "size": 52480,
       "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
       "scan": "clean",
       "unscanned_reason": null,
       "wanted_file": null
      }
     ]
    },
    {
     "id": "01b97845-8700-74d8-86b0-00e071e9cae1",
     "state": "claimed",
     "sender": "bo@example.org",
     "title": null,
     "message": "The site plan.",
     "request_id": "01b97845-8700-74b3-8ca0-001bc6c9546c",
     "reference": "WB-3F3C-JN3C",
     "external_id": null,
     "unsolicited": false,
     "file_count": 1,
     "received_at": "2030-01-31T12:21:00.000Z",
     "expires_at": "2030-02-07T12:21:00.000Z",
     "attempts": 1,
     "available_at": null,
     "lease_ends_at": "2030-01-31T14:06:00.000Z",
     "parked_at": null,
     "acknowledged_at": null,
     "lease": "01b97845-8700-7550-8c80-00c9e6637172",
     "files": [
      {
       "id": "01b977d7-aa00-731a-8320-003d13abcf7e",
       "name": "plan.pdf",
       "path": "plan.pdf",
       "size": 52480,
       "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
       "scan": "clean",
       "unscanned_reason": null,
       "wanted_file": null
      }
     ]
    }
   ]
  }
 },
 "nackInboxEntry": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/nack",
  "request": {
   "lease": "01b97845-8700-7550-8c80-00c9e6637172",
   "delay_seconds": 60
  },
  "response": {
   "id": "01b97845-8700-71f9-8a40-0069f99998ad",
   "state": "available",
   "sender": "anna@example.org",
   "title": null,
   "message": "The invoice of May.",
   "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "external_id": null,
   "unsolicited": false,
   "file_count": 1,
   "received_at": "2030-01-31T13:09:00.000Z",
   "expires_at": "2030-02-07T13:09:00.000Z",
   "attempts": 1,
   "available_at": "2030-01-31T14:03:00.000Z",
   "lease_ends_at": null,
   "parked_at": null,
   "acknowledged_at": null
  }
 },
 "getInboxEntry": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad",
  "response": {
   "id": "01b97845-8700-71f9-8a40-0069f99998ad",
   "state": "claimed",
   "sender": "anna@example.org",
   "title": null,
   "message": "The invoice of May.",
   "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "external_id": null,
   "unsolicited": false,
   "file_count": 1,
   "received_at": "2030-01-31T13:09:00.000Z",
   "expires_at": "2030-02-07T13:09:00.000Z",
   "attempts": 2,
   "available_at": null,
   "lease_ends_at": "2030-01-31T14:08:00.000Z",
   "parked_at": null,
   "acknowledged_at": null,
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF",
     "found": false
    },
    {
     "name": "Delivery note",
     "note": "",
     "found": false
    }
   ],
   "files": [
    {
     "id": "01b97845-8700-74cb-81f0-0049452885cd",
     "name": "invoice.pdf",
     "path": "invoice.pdf",
     "size": 52480,
     "sha256": "1b810489e6e6939fa5e8084e28ad4da3dab745bbfe08fbc74499a33068758d4e",
     "scan": "clean",
     "unscanned_reason": null,
     "wanted_file": null
    }
   ]
  }
 },
 "describeInboxFile": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/files/01b97845-8700-74cb-81f0-0049452885cd"
 },
 "downloadInboxFile": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/files/01b97845-8700-74cb-81f0-0049452885cd"
 },
 "describeInboxZip": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/all.zip"
 },
 "downloadInboxZip": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/all.zip"
 },
 "renewInboxLease": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/renew",
  "request": {
   "lease": "01b97845-8700-7666-8030-00da2f341740",
   "lease_seconds": 300
  },
  "response": {
   "id": "01b97845-8700-71f9-8a40-0069f99998ad",
   "state": "claimed",
   "sender": "anna@example.org",
   "title": null,
   "message": "The invoice of May.",
   "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "external_id": null,
   "unsolicited": false,
   "file_count": 1,
   "received_at": "2030-01-31T13:09:00.000Z",
   "expires_at": "2030-02-07T13:09:00.000Z",
   "attempts": 2,
   "available_at": null,
   "lease_ends_at": "2030-01-31T14:13:00.000Z",
   "parked_at": null,
   "acknowledged_at": null
  }
 },
 "ackInboxEntry": {
  "path": "/inbox/01b97845-8700-71f9-8a40-0069f99998ad/ack",
  "request": {
   "lease": "01b97845-8700-7666-8030-00da2f341740"
  }
 },
 "releaseInboxEntry": {
  "path": "/inbox/01b97845-8700-726d-80e0-008ed7735f78/release",
  "response": {
   "id": "01b97845-8700-726d-80e0-008ed7735f78",
   "state": "available",
   "sender": "anna@example.org",
   "title": null,
   "message": "And the corrected one.",
   "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "external_id": null,
   "unsolicited": false,
   "file_count": 1,
   "received_at": "2030-01-31T13:10:00.000Z",
   "expires_at": "2030-02-07T13:10:00.000Z",
   "attempts": 0,
   "available_at": "2030-01-31T14:10:00.000Z",
   "lease_ends_at": null,
   "parked_at": null,
   "acknowledged_at": null
  }
 },
 "getAccount": {
  "path": "/account",
  "response": {
   "email": "orders@example.org",
   "mode": "live",
   "display_name": "Acme Orders",
   "phone": "46700000001",
   "language": "",
   "key": {
    "id": "01b97732-de80-743e-8e50-0018cedfa127",
    "scopes": [
     "send",
     "history"
    ],
    "networks": [
     "192.0.2.0/24"
    ],
    "expires_at": "2100-01-01T00:00:00.000Z"
   },
   "limits": {
    "file_size": 104857600,
    "file_size_reason": "file",
    "files_per_drop": 1000,
    "receivers_per_drop": 1000,
    "min_expires_in": 86400,
    "max_expires_in": 2592000,
    "default_expires_in": 604800,
    "allowed_expires_in": null,
    "stored_size": 4000000000,
    "drops_per_day": 100,
    "mails_per_day": 500,
    "receiver_domains": null
   },
   "usage": {
    "stored_size": 341760,
    "available_size": 3999658240,
    "drops_today": 3,
    "mails_today": 9
   }
  }
 },
 "listEvents": {
  "path": "/events?cursor=eyJhIjoxNzQyfQ&limit=2",
  "response": {
   "data": [
    {
     "id": "01b9787c-7580-4f9f-8ae0-00d0ef155d88",
     "type": "drop.created",
     "timestamp": "2030-01-31T11:02:00.000Z",
     "data": {
      "files": 1,
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "receivers": 1,
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711"
     }
    },
    {
     "id": "01b9787c-7580-4a94-80f0-00e3d94d1616",
     "type": "drop.notified",
     "timestamp": "2030-01-31T11:03:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    }
   ],
   "next_cursor": "eyJhIjoxNzQyfQ",
   "has_more": true
  }
 },
 "events": {
  "response": {
   "data": [
    {
     "id": "01b9787c-7580-4123-86e0-0012fc28eb43",
     "type": "contact.changed",
     "timestamp": "2030-01-31T09:01:00.000Z",
     "data": {
      "email": "anna@example.org",
      "contacts": 1
     }
    },
    {
     "id": "01b9787c-7580-4f9f-8ae0-00d0ef155d88",
     "type": "drop.created",
     "timestamp": "2030-01-31T11:02:00.000Z",
     "data": {
      "files": 1,
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "receivers": 1,
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711"
     }
    },
    {
     "id": "01b9787c-7580-4a94-80f0-00e3d94d1616",
     "type": "drop.notified",
     "timestamp": "2030-01-31T11:03:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4711-89d0-00d38a4bcdc4",
     "type": "drop.receiver_added",
     "timestamp": "2030-01-31T11:05:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 1,
      "receiver_email": "bo@example.org"
     }
    },
    {
     "id": "01b9787c-7580-480f-83d0-00c7ba679a9e",
     "type": "drop.receiver_revoked",
     "timestamp": "2030-01-31T11:09:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 1,
      "receiver_email": "bo@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4739-88e0-00fd4788ca9d",
     "type": "drop.opened",
     "timestamp": "2030-01-31T11:10:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4e0c-80e0-001e9c961999",
     "type": "drop.file_delivered",
     "timestamp": "2030-01-31T11:11:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "file_id": "01b97769-cd00-7426-80a0-0046c0bd0c51",
      "file_name": "report.pdf",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-49da-86b0-009fc043fc4f",
     "type": "drop.receiver_completed",
     "timestamp": "2030-01-31T11:11:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4a05-8520-00b5a3971339",
     "type": "drop.completed",
     "timestamp": "2030-01-31T11:11:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711"
     }
    },
    {
     "id": "01b9787c-7580-4796-8d70-008a1ddf9391",
     "type": "drop.extended",
     "timestamp": "2030-01-31T11:22:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "expires_at": "2030-02-14T11:22:00.000Z",
      "external_id": "order-4711"
     }
    },
    {
     "id": "01b9787c-7580-4d02-8b60-00868947d4b0",
     "type": "request.created",
     "timestamp": "2030-01-31T13:01:00.000Z",
     "data": {
      "receivers": 1,
      "reference": "WB-8MC7-VW76",
      "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
      "external_id": null
     }
    },
    {
     "id": "01b9787c-7580-4e58-8870-00055f5a941e",
     "type": "request.notified",
     "timestamp": "2030-01-31T13:02:00.000Z",
     "data": {
      "reference": "WB-8MC7-VW76",
      "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
      "external_id": null,
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-48e8-8cc0-00381dca5041",
     "type": "request.receiver_added",
     "timestamp": "2030-01-31T13:04:00.000Z",
     "data": {
      "reference": "WB-8MC7-VW76",
      "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
      "external_id": null,
      "receiver_id": 1,
      "receiver_email": "bo@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4d40-89f0-004a8a552993",
     "type": "request.opened",
     "timestamp": "2030-01-31T13:08:00.000Z",
     "data": {
      "reference": "WB-8MC7-VW76",
      "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
      "external_id": null,
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4b53-80e0-00656e066896",
     "type": "request.received",
     "timestamp": "2030-01-31T13:09:00.000Z",
     "data": {
      "files": 1,
      "inbox_id": "01b97845-8700-71f9-8a40-0069f99998ad",
      "reference": "WB-8MC7-VW76",
      "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
      "external_id": null,
      "receiver_id": 0,
      "receiver_email": "anna@example.org"
     }
    },
    {
     "id": "01b9787c-7580-4554-85d0-007b493894f8",
     "type": "inbox.received",
     "timestamp": "2030-01-31T13:09:00.000Z",
     "data": {
      "files": 1,
      "sender": "anna@example.org",
      "inbox_id": "01b97845-8700-71f9-8a40-0069f99998ad",
      "reference": "WB-8MC7-VW76",
      "request_id": "01b9780e-9880-70cd-8590-0045187df0e6",
      "external_id": null
     }
    },
    {
     "id": "01b9787c-7580-48a0-8890-0045e9095206",
     "type": "request.fulfilled",
     "timestamp": "2030-01-31T12:21:00.000Z",
     "data": {
      "reference": "WB-3F3C-JN3C",
      "request_id": "01b97845-8700-74b3-8ca0-001bc6c9546c",
      "external_id": null
     }
    },
    {
     "id": "01b9787c-7580-4faa-8c90-00f1c5d5e624",
     "type": "drop.link_created",
     "timestamp": "2030-01-31T16:00:00.000Z",
     "data": {
      "kind": "anybody",
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "shared_link_id": 1000000
     }
    },
    {
     "id": "01b9787c-7580-405c-8830-00f7db6d331c",
     "type": "drop.link_revoked",
     "timestamp": "2030-01-31T16:02:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "shared_link_id": 1000000
     }
    },
    {
     "id": "01b9787c-7580-4497-8f90-003b4b5e72d1",
     "type": "drop.link_opened",
     "timestamp": "2030-01-31T16:02:00.000Z",
     "data": {
      "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
      "reference": "WB-7F3K-29QD",
      "external_id": "order-4711",
      "shared_link_id": 1000001
     }
    }
   ]
  }
 },
 "streamEvents": {
  "response": "event: drop.opened\nid: eyJhIjoxNzQyfQ\ndata: {\"id\":\"01b9787c-7580-4739-88e0-00fd4788ca9d\",\"type\":\"drop.opened\",\"timestamp\":\"2030-01-31T11:10:00.000Z\",\"data\":{\"drop_id\":\"01b977a0-bb80-7e90-8fc0-003bc73126ed\",\"reference\":\"WB-7F3K-29QD\",\"external_id\":\"order-4711\",\"receiver_id\":0,\"receiver_email\":\"anna@example.org\"}}\n\n"
 },
 "receiveEvent": {
  "request": {
   "id": "01b9787c-7580-4a05-8520-00b5a3971339",
   "type": "drop.completed",
   "timestamp": "2030-01-31T11:11:00.000Z",
   "data": {
    "drop_id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
    "reference": "WB-7F3K-29QD",
    "external_id": "order-4711"
   }
  }
 },
 "testWebhook": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a/test",
  "response": {
   "event_id": "01b9787c-7580-76ff-8d00-00c809d396bf"
  }
 },
 "replayEvents": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a/replay",
  "request": {
   "event_id": "01b9787c-7580-4a05-8520-00b5a3971339"
  },
  "response": {
   "event_count": 1
  }
 },
 "listWebhookAttempts": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a/attempts?limit=2",
  "response": {
   "data": [
    {
     "id": "01b9787c-7580-7ce0-8fc0-007e92135fda",
     "event_id": "01b9787c-7580-4a05-8520-00b5a3971339",
     "type": "drop.completed",
     "attempt": 1,
     "at": "2030-01-31T15:03:00.000Z",
     "status": 204,
     "failure": null,
     "duration_ms": 84
    },
    {
     "id": "01b9787c-7580-7df7-8c30-009f0e408bee",
     "event_id": "01b9787c-7580-76ff-8d00-00c809d396bf",
     "type": "webhook.test",
     "attempt": 1,
     "at": "2030-01-31T15:02:00.000Z",
     "status": 204,
     "failure": null,
     "duration_ms": 84
    }
   ],
   "next_cursor": "eyJhIjoxNzQyfQ"
  }
 },
 "changeWebhook": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a",
  "request": {
   "types": null
  },
  "response": {
   "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
   "url": "https://example.org/waybill",
   "types": null,
   "scopes": null,
   "description": "archive",
   "public_keys": [
    "whpk_…"
   ],
   "created_at": "2030-01-31T09:07:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "previous_secret_until": null,
   "failing_since": null,
   "disabled_at": null,
   "disabled_reason": null
  }
 },
 "replaceWebhookSecret": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a/replace_secret",
  "request": {
   "previous_seconds": 86400
  },
  "response": {
   "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
   "url": "https://example.org/waybill",
   "types": null,
   "scopes": null,
   "description": "archive",
   "public_keys": [
    "whpk_…",
    "whpk_…"
   ],
   "created_at": "2030-01-31T09:07:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "previous_secret_until": "2030-02-01T15:06:00.000Z",
   "failing_since": null,
   "disabled_at": null,
   "disabled_reason": null,
   "secret": "whsec_…"
  }
 },
 "disableWebhook": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a/disable",
  "response": {
   "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
   "url": "https://example.org/waybill",
   "types": null,
   "scopes": null,
   "description": "archive",
   "public_keys": [
    "whpk_…",
    "whpk_…"
   ],
   "created_at": "2030-01-31T09:07:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "previous_secret_until": "2030-02-01T15:06:00.000Z",
   "failing_since": null,
   "disabled_at": "2030-01-31T15:07:00.000Z",
   "disabled_reason": "owner"
  }
 },
 "enableWebhook": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a/enable",
  "response": {
   "id": "01b97732-de80-77bd-8c90-002a1e0f383a",
   "url": "https://example.org/waybill",
   "types": null,
   "scopes": null,
   "description": "archive",
   "public_keys": [
    "whpk_…",
    "whpk_…"
   ],
   "created_at": "2030-01-31T09:07:00.000Z",
   "created_by": "01b97732-de80-775b-8150-00aa69b9fe14",
   "previous_secret_until": "2030-02-01T15:06:00.000Z",
   "failing_since": null,
   "disabled_at": null,
   "disabled_reason": null
  }
 },
 "listTestMessages": {
  "path": "/test/messages?to=anna@test.example.org",
  "response": {
   "data": [
    {
     "id": "01b978b3-6400-7bc8-89c0-00b57da0546f",
     "kind": "invitation",
     "channel": "mail",
     "to": "anna@test.example.org",
     "subject": "Acme Orders has sent you a file",
     "text": "Acme Orders has sent you a file …",
     "link": "https://files.example.org/d/hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA",
     "code": null,
     "drop_id": "01b978b3-6400-7a7e-87f0-00d7f69ff786",
     "request_id": null,
     "created_at": "2030-01-31T16:00:00.000Z"
    }
   ],
   "next_cursor": null
  }
 },
 "extendRequest": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/extend",
  "request": {
   "expires_in": 1209600
  },
  "response": {
   "id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "state": "live",
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "external_id": null,
   "metadata": null,
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T13:01:00.000Z",
   "expires_at": "2030-02-14T17:00:00.000Z",
   "revoked_at": null,
   "receiver_count": 2,
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note",
     "note": ""
    }
   ],
   "reusable": true
  }
 },
 "revokeRequestReceiver": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/receivers/1/revoke",
  "response": {
   "id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "state": "live",
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "external_id": null,
   "metadata": null,
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T13:01:00.000Z",
   "expires_at": "2030-02-14T17:00:00.000Z",
   "revoked_at": null,
   "receiver_count": 2,
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note",
     "note": ""
    }
   ],
   "reusable": true
  }
 },
 "revokeRequest": {
  "path": "/requests/01b9780e-9880-70cd-8590-0045187df0e6/revoke",
  "response": {
   "id": "01b9780e-9880-70cd-8590-0045187df0e6",
   "reference": "WB-8MC7-VW76",
   "state": "revoked",
   "title": "Invoices of May",
   "message": "Please send the invoices of May.",
   "external_id": null,
   "metadata": null,
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T13:01:00.000Z",
   "expires_at": "2030-02-14T17:00:00.000Z",
   "revoked_at": "2030-01-31T17:02:00.000Z",
   "receiver_count": 2,
   "wanted_files": [
    {
     "name": "Invoice of May",
     "note": "As PDF"
    },
    {
     "name": "Delivery note",
     "note": ""
    }
   ],
   "reusable": true
  }
 },
 "revokeDrop": {
  "path": "/drops/01b977a0-bb80-7e90-8fc0-003bc73126ed/revoke",
  "response": {
   "id": "01b977a0-bb80-7e90-8fc0-003bc73126ed",
   "reference": "WB-7F3K-29QD",
   "state": "revoked",
   "title": null,
   "message": "The drawings of May.",
   "external_id": "order-4711",
   "metadata": {
    "project": "northern bridge"
   },
   "second_factor": "off",
   "has_passphrase": false,
   "notify": true,
   "created_at": "2030-01-31T11:02:00.000Z",
   "expires_at": "2030-02-14T11:22:00.000Z",
   "revoked_at": "2030-01-31T17:03:00.000Z",
   "receiver_count": 2,
   "file_count": 1
  }
 },
 "deleteContact": {
  "path": "/contacts/bo@example.org"
 },
 "deleteWebhook": {
  "path": "/webhooks/01b97732-de80-77bd-8c90-002a1e0f383a"
 },
 "revokeApiKey": {
  "path": "/keys/01b97732-de80-743e-8e50-0018cedfa127",
  "response": {
   "ids": [
    "01b97732-de80-743e-8e50-0018cedfa127"
   ],
   "webhooks_disabled": 0,
   "webhooks_live": 0
  }
 }
};
