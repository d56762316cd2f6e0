// Written by npm run generate from docs/api-v1.md and docs/api.md.
import type { ReferenceBlock } from '../blocks.ts';

export interface Guide {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly ReferenceBlock[];
}

export const v1Guides: readonly Guide[] = [
 {
  "id": "keys",
  "title": "Keys",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Send a key as `Authorization: Bearer <key>`. There is no CSRF token and no session."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/account\""
   },
   {
    "kind": "paragraph",
    "text": "A key that an administrator creates has no restrictions. Use it to create a key for each program, restricted to what the program needs:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"name\":\"nightly upload\",\"scopes\":[\"send\"],\"networks\":[\"192.0.2.0/24\"],\"expires_at\":\"2100-01-01T00:00:00Z\"}' \\\n  \"$WAYBILL_URL/api/v1/keys\""
   },
   {
    "kind": "table",
    "head": [
     "Restriction",
     "Meaning"
    ],
    "rows": [
     [
      "`scopes`",
      "The operations that the key allows: `send`, `receive`, `contacts`, `history`, `webhooks`, `keys`. The reference lists the scope of each operation."
     ],
     [
      "`networks`",
      "The addresses from which the key can be used, as single addresses or networks. Behind a proxy, set `WAYBILL_TRUSTED_PROXIES`."
     ],
     [
      "`expires_at`",
      "The time at which the key expires."
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A key with `send` reads what the key itself has sent: `GET /drops/{id}` and `GET /requests/{id}` with their receivers, and the [receipts](#receipts) of these. Everything else that the account has sent, all lists and the events need `history`. What another key sent, also one that this key created, looks as if it did not exist; so do receipts of a drop that was removed from the history."
   },
   {
    "kind": "paragraph",
    "text": "A key can create and revoke only keys that are at least as restricted as itself in scopes, networks and expiry. Revoking a key leaves the keys and webhooks that it created; the response contains the number of webhooks that are still enabled (`webhooks_live`). `DELETE /keys/{id}?descendants=true` also revokes the keys that it created, those that they created, and so on, and disables the webhooks that any of them created. Use it if a key has been disclosed. A webhook that the key changed but did not create stays enabled, so check the URLs of the others. `created_by` of a key or a webhook is the key that created it. An account has at most two keys without scopes and 50 with them. A key with scopes cannot be used for the machine API."
   },
   {
    "kind": "paragraph",
    "text": "With `\"mode\": \"test\"`, the new key is one of the account's [test account](test-mode.md), whose mails and SMS are kept instead of sent."
   }
  ]
 },
 {
  "id": "requests-that-can-be-repeated",
  "title": "Requests that can be repeated",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Every `POST` accepts an `Idempotency-Key` of up to 255 printable characters, quoted or not. If the response is lost, send the same request with the same key again:"
   },
   {
    "kind": "table",
    "head": [
     "The first request with this key",
     "Response"
    ],
    "rows": [
     [
      "succeeded",
      "the first response; the operation is not repeated"
     ],
     [
      "is still being processed",
      "409 `request_in_flight`, with [`Retry-After`](#retry-after)"
     ],
     [
      "had different content, or was made with another API key",
      "422 `idempotency_key_reused`"
     ],
     [
      "failed",
      "the operation is carried out now"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "Keys belong to the account and are kept for 7 days. The newest 100,000 responses of an account are kept, up to 256 MiB in total."
   }
  ]
 },
 {
  "id": "uploads",
  "title": "Uploads",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Upload a file first, and then create a drop that contains the `id` of the upload. An upload belongs to the account and needs the scope `send`. It counts towards the account's storage from the start, and is scanned for viruses like every file."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "a-small-file-in-one-request",
    "text": "A small file in one request"
   },
   {
    "kind": "paragraph",
    "text": "A file of up to 64 MiB can be sent in one request: the body is the file, `Content-Disposition` contains its name, and `Content-Type` its media type. The response has the status 201 and returns the upload, which is ready."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/pdf\" \\\n  -H 'Content-Disposition: attachment; filename=\"report.pdf\"' \\\n  -H \"Repr-Digest: sha-256=:$(openssl dgst -sha256 -binary report.pdf | base64):\" \\\n  --data-binary @report.pdf \"$WAYBILL_URL/api/v1/uploads\""
   },
   {
    "kind": "paragraph",
    "text": "To keep the folders of a file, send its path: `filename=\"drawings/may/plan.pdf\"`. Encode a name that is not ASCII as RFC 8187 specifies: `filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "a-file-in-parts",
    "text": "A file in parts"
   },
   {
    "kind": "paragraph",
    "text": "Larger files are uploaded by [tus 1.0](https://tus.io/protocols/resumable-upload), for which there are clients in most languages. The supported extensions are `creation`, `creation-with-upload`, `termination` and `expiration`. `Upload-Metadata` contains `filename` and, optionally, `path` and `filetype`."
   },
   {
    "kind": "code",
    "text": "curl -i -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Tus-Resumable: 1.0.0\" -X POST \\\n  -H \"Upload-Length: $(stat -c %s film.mov)\" -H \"Upload-Metadata: filename $(printf film.mov | base64)\" \\\n  \"$WAYBILL_URL/api/v1/uploads\""
   },
   {
    "kind": "paragraph",
    "text": "`Location` is the address of the upload. Send the file there, in one or several requests of at least 8 MiB each; only the last may be smaller. One request is fastest: if it contains the whole file, the file is ready when the response arrives, unless the check takes longer. If a request is cut off, send `HEAD` to find out where to continue; the response waits a moment while the server stores what it has received. A file is stored in chunks of 8 MiB, so that only the last few MiB have to be sent again, even if the server was killed."
   },
   {
    "kind": "code",
    "text": "UPLOAD=\"$WAYBILL_URL/api/v1/uploads/ID\"\ncurl -I -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Tus-Resumable: 1.0.0\" \"$UPLOAD\"\ntail -c +$((OFFSET + 1)) film.mov | curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Tus-Resumable: 1.0.0\" -X PATCH \\\n  -H \"Upload-Offset: $OFFSET\" -H \"Content-Type: application/offset+octet-stream\" -T - \"$UPLOAD\""
   },
   {
    "kind": "paragraph",
    "text": "Of two simultaneous requests for the same upload, the later one continues, and the earlier one returns 409 `upload_superseded`. An upload that is not continued for `WAYBILL_RESUME_SECONDS` (a day) is removed; `Upload-Expires` is the time of removal."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "the-state-of-an-upload",
    "text": "The state of an upload"
   },
   {
    "kind": "paragraph",
    "text": "`GET /api/v1/uploads/ID` returns the upload. Its `state` is:"
   },
   {
    "kind": "table",
    "head": [
     "State",
     "Meaning"
    ],
    "rows": [
     [
      "`uploading`",
      "bytes are missing; `received` is the number of bytes that are stored"
     ],
     [
      "`checking`",
      "all bytes have arrived; the server reads them back and scans them"
     ],
     [
      "`ready`",
      "it can be sent with a drop; `sha256` and `scan` are known"
     ],
     [
      "`refused`",
      "it cannot be sent: `refusal` is `infected`, `encrypted`, `too_large_to_scan`, `digest_mismatch`, `damaged`, or `unchecked` if the check did not succeed for hours"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A file that was sent in one request is `ready` in the response to it. If one that was sent in parts is `checking`, ask again, for example once a second, until it is `ready` or `refused`. Before that, a drop with it is refused with 409 `files_not_ready`."
   },
   {
    "kind": "paragraph",
    "text": "`scan` of a ready upload, and of the files of a drop or an inbox entry, is `clean` or `unscanned`. `unscanned_reason` says why a file was not scanned:"
   },
   {
    "kind": "table",
    "head": [
     "Reason",
     "Meaning"
    ],
    "rows": [
     [
      "`too_large`",
      "the scanner does not inspect so large or so deeply nested a file"
     ],
     [
      "`encrypted`",
      "the file is encrypted or protected by a password"
     ],
     [
      "`unavailable`",
      "the scanner could not be reached, or took too long"
     ],
     [
      "`off`",
      "the server scans nothing"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "If the server requires a scan, such a file is refused instead. A file that is too large is refused before its first byte, with 413 `too_large` or `too_large_to_scan`; `max_size` of the problem is the size of the largest file that would be accepted."
   },
   {
    "kind": "paragraph",
    "text": "`GET /api/v1/uploads` lists the uploads of the account's programs that are not part of a drop yet, newest first; `?state=ready` those in one state. It does not list what people upload in the app, contacts upload on their page, or the machine API has in its drafts."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/uploads?state=ready\""
   },
   {
    "kind": "paragraph",
    "text": "An upload that is not part of a drop is removed at `expires_at`, `WAYBILL_DRAFT_DAYS` (7) days after it became ready. `DELETE` removes it at once."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "the-digest-of-an-upload",
    "text": "The digest of an upload"
   },
   {
    "kind": "paragraph",
    "text": "Declare the digest of the whole file with `Repr-Digest` (RFC 9530), as `sha-256`, `sha-512` or both, either when you create the upload or with any part of it. A file with another digest never becomes ready. If it was sent in one request, the response is 422 `digest_mismatch`; if it was sent by tus, its state becomes `refused`."
   }
  ]
 },
 {
  "id": "drops",
  "title": "Drops",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "A drop is a set of files that its receivers can download until it expires. One request sends it:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"uploads\":[\"01b97769-cd00-7426-80a0-0046c0bd0c51\"],\"receivers\":[{\"email\":\"anna@example.org\",\"name\":\"Anna Berg\"}],\"message\":\"The drawings of May.\",\"expires_in\":604800,\"external_id\":\"order-4711\"}' \\\n  \"$WAYBILL_URL/api/v1/drops\""
   },
   {
    "kind": "table",
    "head": [
     "Field",
     "Meaning"
    ],
    "rows": [
     [
      "`uploads`",
      "The ids of up to 1,000 uploads that are ready. They become the files of the drop, which lists them in the order in which they were uploaded."
     ],
     [
      "`receivers`",
      "Up to 1,000, each with an `email` and, optionally, a `name`, a `phone` and a `language`. Fields that you omit are taken from the account's contact with that address. Receivers need not be contacts."
     ],
     [
      "`message`",
      "The message to the receivers."
     ],
     [
      "`expires_in`, `expires_at`",
      "When the drop expires: in seconds from now, or as a time. Send one of them, or neither for the default lifetime."
     ],
     [
      "`second_factor`",
      "`mail` or `sms`: receivers need a code besides their link. It may be stricter than the account's setting, but not less strict. If the account's setting becomes stricter later, it applies to the drop too, and the drop shows it. With `sms`, each receiver needs a `phone`."
     ],
     [
      "`passphrase`",
      "receivers have to enter it before anything else, also where a code is required. Tell it in another way than the link: it is in no mail, and only its hash is stored, so nobody can read it again. At least 12 characters without spaces and hyphens, which make no difference, nor do upper and lower case. The drop shows `has_passphrase`. Receivers with an account on this server who read their inbox are not asked for it."
     ],
     [
      "`notify`",
      "`false`: no mails are sent, and the response contains the link of each receiver. The links are returned only there; send them yourself. Accounts that may send only to certain domains cannot use it."
     ],
     [
      "`title`",
      "One line, up to 200 characters, by which you and the receivers know the drop: the subject of the mails, below the sender's name on the page, and in lists."
     ],
     [
      "`external_id`",
      "Your own identifier for the drop. Receivers who have an account on this server see it [in their inbox](#the-inbox), so put nothing secret in it; on pages and in mails, nobody does."
     ],
     [
      "`metadata`",
      "An object with up to 50 strings of your own."
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "The request succeeds as a whole or changes nothing. If anything is wrong, the response lists every error in `errors`, such as `{\"pointer\":\"/receivers/3/email\",\"code\":\"recipient_not_allowed\",\"detail\":\"…\"}`. If all errors have the same code, the problem has that code; otherwise it is `invalid_input`. A body that does not have the form of the request, for example with an unknown field, is refused earlier, with all errors of its form."
   },
   {
    "kind": "paragraph",
    "text": "`POST /drops/check` takes the same body, and changes nothing. It checks the addresses and their domains, the uploads, the lifetime, and the account's daily limits. Only the hourly limit of messages is not checked, because it counts attempts. There, `uploads` may be empty, so that you can check everything else before you upload a large file."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "find-drops",
    "text": "Find drops"
   },
   {
    "kind": "paragraph",
    "text": "`GET /drops` lists the drops that the account has sent, newest first. It needs the scope `history`. The list can be filtered by `state` (`live`, `expired`, `revoked`), `created_after` and `created_before`, and by one of these:"
   },
   {
    "kind": "table",
    "head": [
     "Parameter",
     "Finds"
    ],
    "rows": [
     [
      "`receiver_email`",
      "drops for this address"
     ],
     [
      "`external_id`",
      "drops with this external id"
     ],
     [
      "`reference`",
      "drops with this reference (`WB-7F3K-29QD`)"
     ],
     [
      "`search`",
      "drops with this reference (`WB-7F3K-29QD`), external id or receiver, each in full"
     ],
     [
      "`contains`",
      "drops with this text in their title, message, external id, receivers' addresses and names, or file names; or with this group of the reference (`7F3K`)"
     ]
    ]
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/drops?state=live&receiver_email=anna@example.org\""
   },
   {
    "kind": "paragraph",
    "text": "`GET /drops/{id}`, which [a key with `send`](#keys) can use for what it sent, also returns the state of every receiver and every file:"
   },
   {
    "kind": "table",
    "head": [
     "State of a receiver",
     "Meaning"
    ],
    "rows": [
     [
      "`waiting`",
      "the mail has not been sent yet, or none is to be sent"
     ],
     [
      "`notified`",
      "a mail server has accepted the mail"
     ],
     [
      "`undeliverable`",
      "mails do not reach them; `undeliverable_reason` is the reason"
     ],
     [
      "`opened`",
      "they have opened their link"
     ],
     [
      "`completed`",
      "every file was sent to them in full"
     ],
     [
      "`revoked`",
      "their link was revoked"
     ]
    ]
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "downloading-what-you-sent",
    "text": "Downloading what you sent"
   },
   {
    "kind": "paragraph",
    "text": "While a drop is live, the account that sent it can download it: `GET /drops/{id}/files/{file_id}` returns one of its files, and `GET /drops/{id}/all.zip` all of them, with their folders. Both can be resumed, as every download. They need the scope `send`; a key without `history` downloads only what it sent itself. The audit has each download as `drop.downloaded`; it is no delivery to anyone."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -o all.zip \"$WAYBILL_URL/api/v1/drops/$DROP_ID/all.zip\""
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "sending-files-again",
    "text": "Sending files again"
   },
   {
    "kind": "paragraph",
    "text": "`sent_files` in `POST /drops` names files of live drops that the account sent, by their ids from `GET /drops/{id}`. They are in the new drop without being uploaded, together with the `uploads` if there are any; drops of the machine API can be sent again too. A key without `history` names only files that it sent itself."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H 'Content-Type: application/json' \"$WAYBILL_URL/api/v1/drops\" \\\n  -d '{\"uploads\":[],\"sent_files\":[\"01b97769-cd00-7426-80a0-0046c0bd0c51\"],\"receivers\":[{\"email\":\"bo@example.org\"}]}'"
   },
   {
    "kind": "paragraph",
    "text": "Both drops have their own end. Revoking, extending or holding one does not change the other, and a file is deleted when the last drop that has it ends. Quotas count it in each of them."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "change-a-drop",
    "text": "Change a drop"
   },
   {
    "kind": "table",
    "head": [
     "Request",
     "Effect"
    ],
    "rows": [
     [
      "`POST /drops/{id}/revoke`",
      "revokes the drop at once; its files are deleted"
     ],
     [
      "`POST /drops/{id}/receivers/{receiver_id}/revoke`",
      "revokes the link of one receiver"
     ],
     [
      "`POST /drops/{id}/extend` with `expires_in` or `expires_at`",
      "moves the expiry, up to the longest lifetime from now"
     ],
     [
      "`POST /drops/{id}/remind`",
      "sends a reminder to all receivers who can be reached and have not yet downloaded everything"
     ],
     [
      "`POST /drops/{id}/receivers` with an `email`",
      "adds a receiver, who gets a mail; if the drop sends no mails, the response contains their link"
     ],
     [
      "`POST /drops/{id}/receivers/{receiver_id}/resend`",
      "sends a receiver the first mail again, even if it could not be delivered before"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "`remind` and `resend` are refused with `invalid_input` if the drop was sent with `\"notify\": false`: its receivers get no mails at all."
   },
   {
    "kind": "paragraph",
    "text": "The ETag of a drop changes with these requests, but not with the actions of receivers."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" -H 'If-Match: \"48213\"' \\\n  -d '{\"expires_in\":1209600}' \"$WAYBILL_URL/api/v1/drops/$ID/extend\""
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "receipts",
    "text": "Receipts"
   },
   {
    "kind": "table",
    "head": [
     "Request",
     "Response"
    ],
    "rows": [
     [
      "`GET /drops/{id}/receivers/{receiver_id}/receipt.pdf`",
      "the [receipt](drops.md#receipts) of a receiver, with the JSON as an attachment; `?language=sv` chooses its language"
     ],
     [
      "`GET /drops/{id}/receivers/{receiver_id}/receipt.json`",
      "the same events and proofs alone. Store the bytes as they are: a verifier refuses a document that was formatted anew"
     ],
     [
      "`GET /receipts?reference=WB-7F3K-29QD`",
      "the receivers of whom a receipt can be made, also of a drop that was removed from the history because of its age: `type`, `id`, `receiver_id`, `email` and `name` of each. An id can be given instead of the reference; `receiver_email` restricts it to an address"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "All need the scope `history`, or for the first two [`send` if the key itself sent the drop](#keys); these exist for requests as well (`/requests/…`). A receipt contains every event that was acknowledged before the request. If the newest one is not in the log within three seconds, the response is 503 `receipt_not_ready` with `Retry-After`. After `WAYBILL_EVIDENCE_DAYS`, or once the receiver's address was erased, it is 410 `receipt_unavailable`; receipts that were stored before can still be verified."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -o receipt.pdf \"$WAYBILL_URL/api/v1/drops/$ID/receivers/0/receipt.pdf\""
   }
  ]
 },
 {
  "id": "links-to-share",
  "title": "Links to share",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "`shared_link` in `POST /drops` makes [a link to share](drops.md#links-to-share) with the drop, and `POST /drops/{id}/shared-links` makes one later: `\"kind\": \"named\"` for all receivers, or `\"anybody\"` for whoever has it, optionally with `max_downloads`, and `expires_in` or `expires_at`. A drop with a link for anybody may have no receivers. Only the response that makes a link contains it. `GET /drops/{id}/shared-links` lists the links with their `state` and number of `downloads`, and `POST /drops/{id}/shared-links/{link_id}/revoke` ends one. The events are `drop.link_created`, `drop.link_opened`, `drop.link_downloaded` and `drop.link_revoked`; they have a `shared_link_id` and no receiver. A kind that the rules of the account do not allow is refused with `recipient_not_allowed`."
   }
  ]
 },
 {
  "id": "requests",
  "title": "Requests",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "A request asks contacts for files. Each contact gets a link to a page on which they upload files, which arrive in [the inbox](#the-inbox). Sending a request needs the scope `send`, because it writes to people on the account's behalf, as a drop does; reading the files that contacts send needs `receive`."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"receivers\":[{\"email\":\"anna@example.org\",\"name\":\"Anna Berg\",\"language\":\"sv\"}],\"title\":\"Invoices of May\",\"message\":\"Please send the invoices of May.\",\"wanted_files\":[{\"name\":\"Invoice of May\",\"note\":\"As PDF\"},{\"name\":\"Delivery note\"}],\"expires_in\":604800,\"reusable\":true}' \\\n  \"$WAYBILL_URL/api/v1/requests\""
   },
   {
    "kind": "paragraph",
    "text": "The fields are those of [a drop](#drops) without `uploads`, and some more:"
   },
   {
    "kind": "table",
    "head": [
     "Field",
     "Meaning"
    ],
    "rows": [
     [
      "`title`",
      "One line that names the request, up to 200 characters: the subject of the mails, on the contact's page and in the app."
     ],
     [
      "`wanted_files`",
      "Up to 50 files that are wanted, each with a `name` and optionally a `note`. Contacts say which of their files is which, and may send others too. The [entries of the inbox](#the-inbox) say of each whether it was `found`, in any sending of the contact, and of each file which `wanted_file` it is."
     ],
     [
      "`reusable`",
      "`true`: each contact may send files any number of times until the request expires. Otherwise each may send only once; their link then shows the files that they sent and accepts no more."
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "Contacts need not be in the account's address book. Errors, `POST /requests/check`, `notify` and the `Idempotency-Key` work as for drops. Files from a contact stay in the inbox for the lifetime of the request, counted from when the contact sent them."
   },
   {
    "kind": "paragraph",
    "text": "`GET /requests` lists the account's requests, with the parameters of [`GET /drops`](#find-drops), including those of the machine API, which are all reusable. `GET /requests/{id}` also returns the state of every contact:"
   },
   {
    "kind": "table",
    "head": [
     "State of a contact",
     "Meaning"
    ],
    "rows": [
     [
      "`waiting`",
      "the mail has not been sent yet, or none is to be sent"
     ],
     [
      "`notified`",
      "a mail server has accepted the mail"
     ],
     [
      "`undeliverable`",
      "mails do not reach them; `undeliverable_reason` is the reason"
     ],
     [
      "`opened`",
      "they have opened their link"
     ],
     [
      "`fulfilled`",
      "they have sent files: first at `fulfilled_at`, last at `last_received_at`, `sendings` times, `files_received` files in all"
     ],
     [
      "`revoked`",
      "their link was revoked"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "`sendings` and `files_received` count only records that are still kept: they are deleted with the rest of the history."
   },
   {
    "kind": "paragraph",
    "text": "To change a request, use the same operations as for [a drop](#change-a-drop), with `/requests/{id}` instead of `/drops/{id}`. Revoking a request does not affect files that have already arrived. `remind` sends a reminder to all contacts who can be reached and have not sent anything yet."
   }
  ]
 },
 {
  "id": "the-inbox",
  "title": "The inbox",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "The inbox contains the files that contacts sent on request, the files that came through [the account's public page](accounts.md#the-public-page-of-an-account) (`unsolicited: true`) and the drops that other accounts on this server sent to the account, until they expire. It is a queue: any number of programs can share it, and no two of them work on the same entry at the same time. These operations need the scope `receive`."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"max\":10,\"lease_seconds\":300}' \"$WAYBILL_URL/api/v1/inbox/claim\""
   },
   {
    "kind": "paragraph",
    "text": "The response contains up to `max` entries, starting with those that have been available longest. Each has a `lease`, which the following requests contain, `attempts`, the number of this attempt, and its `files`, unless there are more than 1,000 in all: then `files` is null, and `GET /inbox/{id}` returns them. `data` is empty if nothing is available; with `\"wait\":30`, the request waits up to 30 seconds for an entry, which needs no other scope. If the response is lost, repeat the request with the same `Idempotency-Key`: it returns the same leases."
   },
   {
    "kind": "paragraph",
    "text": "Fetch the files one by one or as a ZIP. `Range` and `If-Range` continue a download that was cut off. `Repr-Digest` contains the SHA-256 of the file:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -C - -o report.pdf \"$WAYBILL_URL/api/v1/inbox/$ID/files/$FILE\"\ncurl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -C - -o all.zip \"$WAYBILL_URL/api/v1/inbox/$ID/all.zip\""
   },
   {
    "kind": "paragraph",
    "text": "When the work is done, acknowledge the entry:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"lease\":\"'\"$LEASE\"'\"}' \"$WAYBILL_URL/api/v1/inbox/$ID/ack\""
   },
   {
    "kind": "table",
    "head": [
     "Request",
     "Body",
     "Effect"
    ],
    "rows": [
     [
      "`POST /inbox/claim`",
      "`max` (1 to 100; 1 if not given), `lease_seconds` (10 to 3600; 300 if not given), `wait` (up to 30; 0 if not given)",
      "leases entries to the caller"
     ],
     [
      "`POST /inbox/{id}/renew`",
      "`lease`, `lease_seconds`",
      "extends the lease, which then ends this many seconds from now"
     ],
     [
      "`POST /inbox/{id}/ack`",
      "`lease`",
      "marks the entry as done. Repeating the request with the same lease succeeds"
     ],
     [
      "`POST /inbox/{id}/nack`",
      "`lease`, `delay_seconds` (0 to 86400)",
      "makes the entry available again after the delay: if none is given, 30 seconds after the first attempt, twice as long after each further one, and at most an hour"
     ],
     [
      "`POST /inbox/{id}/release`",
      "none",
      "makes a parked entry available again, and resets its attempts to 0"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A request whose lease has ended, or does not belong to the entry, returns 409 `lease_not_held`; another program may be working on the entry by then. An entry that has expired returns 404, even while it is claimed. Renew a lease well before its end, and make the work repeatable: if a program crashes after its work but before the acknowledgement, the next program gets the entry again."
   },
   {
    "kind": "paragraph",
    "text": "An entry whose lease ends without an acknowledgement becomes available again. After 10 attempts that end this way or with `nack`, the entry is parked: it cannot be claimed again until you release it. Within a minute, the event `inbox.parked` says so, and the owner of the account gets a mail, at most one per hour."
   },
   {
    "kind": "paragraph",
    "text": "Each entry has a `reference` and an `external_id`, by which two systems can tell that they mean the same:"
   },
   {
    "kind": "table",
    "head": [
     "Entry",
     "`reference`",
     "`external_id`",
     "`request_id`"
    ],
    "rows": [
     [
      "a drop from another account",
      "that of the drop, as its sender sees it",
      "the identifier that the sending account gave it, or null",
      "null"
     ],
     [
      "files that a contact sent on request",
      "that of the account's own request",
      "the account's own identifier of the request, or null",
      "the request"
     ],
     [
      "files through the public page",
      "the one in the mails about them",
      "null",
      "null"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "The sender's metadata, the drop's id and its other receivers are not visible to the receiving account."
   },
   {
    "kind": "paragraph",
    "text": "`GET /inbox` lists all entries, newest first, or those that one of these parameters finds:"
   },
   {
    "kind": "table",
    "head": [
     "Parameter",
     "Finds"
    ],
    "rows": [
     [
      "`state`",
      "entries in this state (`available`, `claimed`, `parked` or `acknowledged`), starting with the one that has been in it longest"
     ],
     [
      "`external_id`",
      "entries with this external id"
     ],
     [
      "`reference`",
      "entries with this reference"
     ],
     [
      "`request_id`",
      "what contacts sent through this request"
     ]
    ]
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/inbox?external_id=order-4711\""
   },
   {
    "kind": "paragraph",
    "text": "Acknowledging an entry does not count as a delivery, and downloading does not acknowledge it. The sender is notified of a delivery when all bytes of all files have been sent. The queue does not affect [the machine API](api.md), which shows every entry until it expires."
   }
  ]
 },
 {
  "id": "contacts",
  "title": "Contacts",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "A contact is an entry in the account's address book: someone to whom files are sent, or who is asked for files. Fields that a drop omits for a receiver are taken from the contact with that address. A contact is identified by its address, in upper or lower case; there is no other id. These operations need the scope `contacts`."
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" -X PUT \\\n  -d '{\"name\":\"Anna Berg\",\"phone\":\"46701234567\",\"language\":\"sv\",\"groups\":[\"press\"]}' \\\n  \"$WAYBILL_URL/api/v1/contacts/anna@example.org\""
   },
   {
    "kind": "table",
    "head": [
     "Request",
     "Effect"
    ],
    "rows": [
     [
      "`GET /contacts`",
      "lists contacts by address. `search` finds a part of an address or a name; `list` is `local` or `global`"
     ],
     [
      "`GET /contacts/{email}`",
      "returns the contact, with an `ETag`"
     ],
     [
      "`PUT /contacts/{email}`",
      "adds the contact (201) or replaces it (200); omitted fields become empty"
     ],
     [
      "`DELETE /contacts/{email}`",
      "removes the contact"
     ],
     [
      "`POST /contacts/import`",
      "adds and changes up to 1,000 contacts"
     ]
    ]
   },
   {
    "kind": "table",
    "head": [
     "Field",
     "Meaning"
    ],
    "rows": [
     [
      "`name`",
      "The account's name for the contact, on one line: control characters and marks that change the direction of text are left out, here and in the names of receivers. The machine API calls it `nick`."
     ],
     [
      "`phone`",
      "For codes by SMS: 7 to 15 digits, the country code first, without + or 00."
     ],
     [
      "`language`",
      "The language of mails and pages, such as `en` or `pt-BR`."
     ],
     [
      "`groups`",
      "Up to 50 group names of your own, each on one line like `name`."
     ],
     [
      "`list`",
      "Only in responses. `local`: the account's own contact. `global`: the administrator's, which every account sees and none can change."
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A contact of the account hides the global one with the same address; when it is removed, the global one becomes visible again. An account has at most 10,000 contacts of its own."
   },
   {
    "kind": "paragraph",
    "text": "`PUT` and `DELETE` honour [`If-Match`](#changes-that-depend-on-what-you-read). With `If-None-Match: *`, `PUT` only adds: if a contact with this address exists, it returns 412. The ETag of a contact depends on its content alone. [The machine API](api.md#changing-contacts-safely) has an ETag for the whole list, which changes with every change made here."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "import",
    "text": "Import"
   },
   {
    "kind": "paragraph",
    "text": "Fields that an import omits stay unchanged, and so do contacts that it does not contain. An import succeeds as a whole or changes nothing; if anything is wrong, `errors` lists every error with its location, such as `/contacts/3/phone`. `POST /contacts/import/check` with the same body says what would change:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"contacts\":[{\"email\":\"anna@example.org\",\"groups\":[\"press\",\"plant 2\"]},{\"email\":\"bo@example.org\"}]}' \\\n  \"$WAYBILL_URL/api/v1/contacts/import/check\""
   },
   {
    "kind": "code",
    "text": "{\n  \"created\": 1,\n  \"changed\": 1,\n  \"unchanged\": 0,\n  \"contacts\": [{ \"email\": \"anna@example.org\", \"result\": \"changed\" }, { \"email\": \"bo@example.org\", \"result\": \"created\" }]\n}"
   },
   {
    "kind": "paragraph",
    "text": "`POST /contacts/import` makes these changes and returns the same response, unless someone else has changed these contacts in the meantime. To import more than 1,000 contacts, send several requests."
   }
  ]
 },
 {
  "id": "links",
  "title": "Links",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "A program of a receiver or contact has no account and no key, but a link from a mail. The operations below `/api/v1/link` do what the pages of the link do ([why](adr/0074-links-for-programs.md)). The secret is the last part of the link, and the kind is `download` for `/d/` and `upload` for `/u/`:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Content-Type: application/json\" -d '{\"secret\":\"hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA\",\"kind\":\"download\"}' \\\n  \"$WAYBILL_URL/api/v1/link/open\""
   },
   {
    "kind": "paragraph",
    "text": "This opens the link, as its receiver does with a click. The response has a `session`, which authenticates all other requests as `Authorization: Bearer`, for a day or until `POST /link/close`. A key is not accepted there, nor the session anywhere else. Wrong secrets are counted by client address, and return 429 above a limit. A link that has ended returns 410, and `detail` says whom to ask."
   },
   {
    "kind": "table",
    "head": [
     "Operation",
     "What it does"
    ],
    "rows": [
     [
      "`GET /link`",
      "the kind of the link, and what has to be entered: a passphrase, a code, or both in this order"
     ],
     [
      "`POST /link/passphrase`",
      "enters the passphrase that the sender told (403 with `wrong_passphrase`). If a code is required too, it is sent then"
     ],
     [
      "`POST /link/code`",
      "enters the code. It belongs to the session for which it was sent, and can be tried five times (403 with `wrong_code`, then `code_expired`)"
     ],
     [
      "`POST /link/code/send`",
      "sends another code; 429 with `too_many_codes` above five in an hour"
     ],
     [
      "`GET /link/drop`",
      "download: the message and the files, with their digests"
     ],
     [
      "`GET /link/files/{file}`, `GET /link/all.zip`",
      "download: a file, or all of them; ranges, and the SHA-256 as `ETag` and `Repr-Digest`"
     ],
     [
      "`GET /link/request`",
      "upload: what is asked for, how large a file may be, and the files that were sent last, with their digests"
     ],
     [
      "`POST /link/uploads`, `HEAD` and `PATCH /link/uploads/{id}`",
      "upload: a file in parts by the tus protocol, as [for accounts](#a-file-in-parts)"
     ],
     [
      "`GET /link/uploads`, `GET` and `DELETE /link/uploads/{id}`",
      "upload: the files that were not sent yet, by which an interrupted program continues"
     ],
     [
      "`POST /link/send`",
      "upload: sends the files. A repetition with the same `message` sends nothing more, and returns what was sent"
     ],
     [
      "`GET /link/receipt.pdf`, `GET /link/receipt.json`",
      "the receipt, as on the page"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A link for all receivers has `\"shared\": \"named\"`: send the address of one of them to `POST /link/receiver`, and the code that arrives there to `POST /link/code`. The session then is that of the receiver's own link. A link for anybody has `\"shared\": \"anybody\"`, and `max_downloads` if it is limited: a session is one download."
   }
  ]
 },
 {
  "id": "limits",
  "title": "Limits",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "`GET /account` returns the account's limits and usage. It is available to every key. Sizes are in bytes and lifetimes in seconds; null means that there is no limit."
   },
   {
    "kind": "code",
    "text": "{\n  \"email\": \"orders@example.org\",\n  \"mode\": \"live\",\n  \"display_name\": \"Acme Orders\",\n  \"phone\": \"46700000001\",\n  \"language\": \"\",\n  \"key\": {\n    \"id\": \"01b97732-de80-743e-8e50-0018cedfa127\",\n    \"scopes\": [\"send\", \"history\"],\n    \"networks\": [\"192.0.2.0/24\"],\n    \"expires_at\": \"2100-01-01T00:00:00.000Z\"\n  },\n  \"limits\": {\n    \"file_size\": 104857600,\n    \"file_size_reason\": \"file\",\n    \"files_per_drop\": 1000,\n    \"receivers_per_drop\": 1000,\n    \"min_expires_in\": 86400,\n    \"max_expires_in\": 2592000,\n    \"default_expires_in\": 604800,\n    \"allowed_expires_in\": null,\n    \"stored_size\": 4000000000,\n    \"drops_per_day\": 100,\n    \"mails_per_day\": 500,\n    \"receiver_domains\": null\n  },\n  \"usage\": { \"stored_size\": 341760, \"available_size\": 3999658240, \"drops_today\": 3, \"mails_today\": 9 }\n}"
   },
   {
    "kind": "paragraph",
    "text": "`file_size` is the size of the largest file that can be sent. `file_size_reason` says which limit that is: `file`, the size that is allowed for one file; `storage`, the same as `stored_size`; or `scan`, the size up to which the virus scanner inspects a file, if the server requires a scan. If `allowed_expires_in` is a list, only these lifetimes may be chosen. `usage.stored_size` is null until it has been calculated for the first time. `drops_today` includes requests for files."
   },
   {
    "kind": "paragraph",
    "text": "Where a limit applies, the response contains the headers that the [IETF's draft](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/) defines:"
   },
   {
    "kind": "code",
    "text": "RateLimit-Policy: \"drops\";q=100;w=86400, \"mails\";q=500;w=86400\nRateLimit: \"drops\";r=97;t=40210, \"mails\";r=480;t=40210"
   },
   {
    "kind": "paragraph",
    "text": "In this example, 97 of 100 drops per day are left for the next 40,210 seconds."
   },
   {
    "kind": "table",
    "head": [
     "Limit",
     "Where",
     "What is counted"
    ],
    "rows": [
     [
      "`drops`, `mails`",
      "operations that send, if the administrator has set such a limit",
      "the account's drops and mails, from midnight to midnight in UTC"
     ],
     [
      "`failures`",
      "401 and 429",
      "failed authentications from your address in a minute. Requests with a valid key are not limited"
     ]
    ]
   }
  ]
 },
 {
  "id": "retry-after",
  "title": "Retry-After",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Some responses say that the same request may succeed later, and all of them say when. `Retry-After` is a whole number of seconds; it is never a date. Repeat the request after that time, with the same `Idempotency-Key`."
   },
   {
    "kind": "table",
    "head": [
     "Response",
     "`Retry-After` promises"
    ],
    "rows": [
     [
      "409 `request_in_flight`",
      "nothing: 1 second, after which the first request may have ended"
     ],
     [
      "429 `too_many_requests`",
      "the end of the minute in which failed authentications were counted. Until then, every request without a valid key is refused; those with one are not"
     ],
     [
      "429 `too_many_messages`",
      "the first moment at which so many messages may be sent again, if nothing else is sent meanwhile"
     ],
     [
      "429 `daily_limit`",
      "midnight in UTC, when the counts of the day begin again"
     ],
     [
      "503 `receipt_not_ready`",
      "nothing: 2 seconds, in which the log usually gets the newest event"
     ],
     [
      "503 `unavailable`",
      "nothing: 5 seconds, after which a part of the service that was out of reach may be back"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "Where it promises a time, an earlier repetition is refused. Where it promises nothing, wait longer after each further failure. No other response has the header, except that proxies in between may add it to responses of their own. [The machine API](api.md) has it with the same codes."
   },
   {
    "kind": "paragraph",
    "text": "The [SDK](sdk.md), the command and the [Python client](python.md) repeat such requests by themselves: they wait for the time in `Retry-After`, and then for a random time of up to 0.2 s, which doubles with each failure up to 20 s, 8 attempts in all. If the server asks for more than 5 minutes (`maxRetryAfterMs`, `max_retry_after_seconds`), they do not wait but report the error, with the time in `retryAfterSeconds` or `retry_after_seconds`."
   }
  ]
 },
 {
  "id": "lists",
  "title": "Lists",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Every list is returned page by page: `{\"data\": […], \"next_cursor\": \"…\"}`. `limit` sets the number of entries in a page, 1 to 100; the default is 100. For the next page, send `next_cursor` as `cursor`, with the same filter. On the last page, `next_cursor` is null. Entries that are added while you read do not move others to another page, so none is missed or returned twice."
   },
   {
    "kind": "paragraph",
    "text": "A cursor is opaque, and belongs to the account, the list and the filter; with another filter, the request returns 400 `invalid_input`. Only the cursor of [events](#events) is a place among all events of the account, and valid with every filter."
   }
  ]
 },
 {
  "id": "changes-that-depend-on-what-you-read",
  "title": "Changes that depend on what you read",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "The response to a `GET` of a single resource that can be changed has an `ETag`. Send it as `If-Match` with the request that changes the resource: if someone else has changed it in the meantime, the request returns 412 `precondition_failed` and changes nothing. Without `If-Match`, the change is made in any case."
   }
  ]
 },
 {
  "id": "events",
  "title": "Events",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "`GET /api/v1/events` (scope `history`) lists the account's events in order. Store `next_cursor` together with the results of your work, and send it as `cursor` to continue. No event is skipped, even if its transaction took longer than others. With `wait`, the request waits up to 30 seconds for the next event, so that a program learns of it within a second, and sends only two requests a minute while nothing happens:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/events?limit=100\"\ncurl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/events?cursor=$CURSOR&wait=30\""
   },
   {
    "kind": "code",
    "text": "{\n  \"data\": [\n    {\n      \"id\": \"01b9787c-7580-4f9f-8ae0-00d0ef155d88\",\n      \"type\": \"drop.created\",\n      \"timestamp\": \"2030-01-31T11:02:00.000Z\",\n      \"data\": {\n        \"files\": 1,\n        \"drop_id\": \"01b977a0-bb80-7e90-8fc0-003bc73126ed\",\n        \"receivers\": 1,\n        \"reference\": \"WB-7F3K-29QD\",\n        \"external_id\": \"order-4711\"\n      }\n    },\n    {\n      \"id\": \"01b9787c-7580-4a94-80f0-00e3d94d1616\",\n      \"type\": \"drop.notified\",\n      \"timestamp\": \"2030-01-31T11:03:00.000Z\",\n      \"data\": {\n        \"drop_id\": \"01b977a0-bb80-7e90-8fc0-003bc73126ed\",\n        \"reference\": \"WB-7F3K-29QD\",\n        \"external_id\": \"order-4711\",\n        \"receiver_id\": 0,\n        \"receiver_email\": \"anna@example.org\"\n      }\n    }\n  ],\n  \"next_cursor\": \"eyJhIjoxNzQyfQ\",\n  \"has_more\": true\n}"
   },
   {
    "kind": "paragraph",
    "text": "The response always has a `next_cursor`. Without `cursor`, the response begins with the oldest event that is kept; `cursor=end` returns only events that occur from now on. Events are kept for 30 days, or as long as the administrator has set (`WAYBILL_EVENT_DAYS`). If events after a cursor are no longer kept, the request returns 410 `cursor_expired`: read the current state of the resources that you follow, and start again without a cursor."
   },
   {
    "kind": "paragraph",
    "text": "The list and the stream have the same filters. They return events that match all that are given:"
   },
   {
    "kind": "table",
    "head": [
     "Parameter",
     "Selects"
    ],
    "rows": [
     [
      "`type`",
      "events of this type. Repeat it for several: `type=drop.completed&type=drop.expired`"
     ],
     [
      "`drop_id`",
      "events about this drop"
     ],
     [
      "`request_id`",
      "events about this request, and about what arrived through it"
     ],
     [
      "`external_id`",
      "events about drops, requests and entries of the inbox with this external id"
     ]
    ]
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/events?external_id=order-4711&type=drop.completed\""
   },
   {
    "kind": "paragraph",
    "text": "A request looks at 10,000 events at most, among those of the drop, the request or the external id if one is given, and otherwise among all. If more follow, `has_more` is true, also in a page that is empty because nothing among them matched: go on with `next_cursor` at once. A request with `wait` then does not wait. If `has_more` is false, these are all events until now."
   },
   {
    "kind": "paragraph",
    "text": "`GET /api/v1/events/stream` returns the same events as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html): the connection stays open, and each event arrives as it happens."
   },
   {
    "kind": "code",
    "text": "curl -N -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/events/stream?cursor=$CURSOR\""
   },
   {
    "kind": "code",
    "text": "event: drop.opened\nid: eyJhIjoxNzQyfQ\ndata: {\"id\":\"01b9787c-7580-4739-88e0-00fd4788ca9d\",\"type\":\"drop.opened\",\"timestamp\":\"2030-01-31T11:10:00.000Z\",\"data\":{\"drop_id\":\"01b977a0-bb80-7e90-8fc0-003bc73126ed\",\"reference\":\"WB-7F3K-29QD\",\"external_id\":\"order-4711\",\"receiver_id\":0,\"receiver_email\":\"anna@example.org\"}}"
   },
   {
    "kind": "paragraph",
    "text": "The `id` of an event is its cursor. Connect again with the last one as `cursor`, or in the header `Last-Event-ID`, whenever the stream ends: after an hour, when the server is restarted, or when the connection is lost. Then no event is missed. A block with an `id` but without `data` is not an event, but moves the cursor. Lines that begin with a colon only keep the connection open; if nothing has arrived for a minute, connect again. The stream ends within a second after its key is revoked. Use `wait` instead if a proxy on the way holds responses back."
   },
   {
    "kind": "paragraph",
    "text": "Events are thin: `data` contains the ids with which you can look up the rest, and the `reference` and `external_id` by which you recognise your own records. In events of the inbox, these are those of [the entry](#the-inbox). If your program stops after acting on an event but before storing the cursor, it gets the event again, with the same `id`. A request that changes many contacts creates a single event. Ignore event types that you do not know."
   },
   {
    "kind": "table",
    "head": [
     "Type",
     "When",
     "`data`"
    ],
    "rows": [
     [
      "`drop.created`",
      "a drop was dispatched",
      "`drop_id`, `reference`, `external_id`, `receivers`, `files`"
     ],
     [
      "`drop.notified`",
      "the mail server accepted the mail with a receiver's link",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`drop.undeliverable`",
      "mails do not reach a receiver: one was refused or returned, or the receiver has stopped messages",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`drop.opened`",
      "a receiver opened the link for the first time",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`drop.file_delivered`",
      "every byte of a file was sent to a receiver",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`, `file_id`, `file_name`"
     ],
     [
      "`drop.receiver_completed`",
      "every file was sent to a receiver in full",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`drop.completed`",
      "every file was sent to every receiver whose link is not revoked",
      "`drop_id`, `reference`, `external_id`"
     ],
     [
      "`drop.receiver_added`",
      "a receiver was added",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`drop.receiver_revoked`",
      "the link of one receiver was revoked",
      "`drop_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`drop.link_created`",
      "a link to share was made",
      "`drop_id`, `reference`, `external_id`, `shared_link_id`, `kind`"
     ],
     [
      "`drop.link_opened`",
      "a person or program opened a link for anybody, for the first time",
      "`drop_id`, `reference`, `external_id`, `shared_link_id`"
     ],
     [
      "`drop.link_downloaded`",
      "a visit downloaded through a link for anybody",
      "`drop_id`, `reference`, `external_id`, `shared_link_id`, `downloads`"
     ],
     [
      "`drop.link_revoked`",
      "a link to share was revoked",
      "`drop_id`, `reference`, `external_id`, `shared_link_id`"
     ],
     [
      "`drop.extended`",
      "its expiry was moved",
      "`drop_id`, `reference`, `external_id`, `expires_at`"
     ],
     [
      "`drop.expired`",
      "it has expired; the event follows within a few minutes",
      "`drop_id`, `reference`, `external_id`"
     ],
     [
      "`drop.revoked`",
      "it was revoked",
      "`drop_id`, `reference`, `external_id`"
     ],
     [
      "`drop.restored`",
      "a person undid its revocation; its links work again",
      "`drop_id`, `reference`, `external_id`"
     ],
     [
      "`request.created`",
      "a request for files was sent to contacts",
      "`request_id`, `reference`, `external_id`, `receivers`"
     ],
     [
      "`request.notified`",
      "the mail server accepted the mail with a contact's link",
      "`request_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`request.undeliverable`",
      "mails do not reach a contact",
      "`request_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`request.opened`",
      "a contact opened the link for the first time",
      "`request_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`request.received`",
      "a contact sent files; `inbox.received` follows",
      "`request_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`, `inbox_id`, `files`"
     ],
     [
      "`request.fulfilled`",
      "every contact whose link is not revoked has sent files",
      "`request_id`, `reference`, `external_id`"
     ],
     [
      "`request.receiver_added`",
      "a contact was added",
      "`request_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`request.receiver_revoked`",
      "the link of one contact was revoked",
      "`request_id`, `reference`, `external_id`, `receiver_id`, `receiver_email`"
     ],
     [
      "`request.extended`",
      "its expiry was moved",
      "`request_id`, `reference`, `external_id`, `expires_at`"
     ],
     [
      "`request.expired`",
      "it has expired; the event follows within a few minutes",
      "`request_id`, `reference`, `external_id`"
     ],
     [
      "`request.revoked`",
      "it was revoked",
      "`request_id`, `reference`, `external_id`"
     ],
     [
      "`request.restored`",
      "a person undid its revocation; its links work again",
      "`request_id`, `reference`, `external_id`"
     ],
     [
      "`inbox.received`",
      "files from a contact or another account are in the inbox",
      "`inbox_id`, `sender`, `files`, `request_id`, `reference`, `external_id`"
     ],
     [
      "`inbox.parked`",
      "an entry was claimed as often as allowed, and nobody gets it until it is released",
      "`inbox_id`, `sender`, `files`, `request_id`, `reference`, `external_id`, `attempts`"
     ],
     [
      "`test.message_kept`",
      "a mail or SMS of a [test account](test-mode.md) was kept",
      "`message_id`, `kind`, `to`"
     ],
     [
      "`contact.changed`",
      "contacts of the account were added or changed",
      "`contacts`: how many there are now; `email`, if it was only one"
     ],
     [
      "`contact.deleted`",
      "contacts of the account were deleted",
      "`contacts`; `email`, if it was only one"
     ]
    ]
   }
  ]
 },
 {
  "id": "webhooks",
  "title": "Webhooks",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "A webhook is a URL to which the account's events are sent, as `POST` requests. It needs the scope `webhooks`:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"url\":\"https://example.org/waybill\",\"types\":[\"drop.completed\",\"inbox.received\"],\"description\":\"archive\"}' \\\n  \"$WAYBILL_URL/api/v1/webhooks\""
   },
   {
    "kind": "paragraph",
    "text": "Without `types`, a webhook is sent every event that the key may read: all events with the scope `history`, those of the inbox with `receive`, and those of contacts with `contacts`. A key with none of these scopes cannot create a webhook. A webhook stays bound to the scopes of the key that created it (`scopes`; null means everything), whichever key changes it, and even after that key has been revoked, unless [it was revoked with its webhooks](#keys). To change, replay or delete a webhook, or to list its attempts, a key must be allowed to read every event that is sent to it. The response to this request contains the `secret`, which no other response contains. An account has at most 20 webhooks."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "webhook-requests",
    "text": "Webhook requests"
   },
   {
    "kind": "paragraph",
    "text": "The body is the event, exactly as `GET /events` and the stream contain it: its id, its type, its time, and the ids with which you can look up the rest:"
   },
   {
    "kind": "code",
    "text": "{\n  \"id\": \"01b9787c-7580-4a05-8520-00b5a3971339\",\n  \"type\": \"drop.completed\",\n  \"timestamp\": \"2030-01-31T11:11:00.000Z\",\n  \"data\": { \"drop_id\": \"01b977a0-bb80-7e90-8fc0-003bc73126ed\", \"reference\": \"WB-7F3K-29QD\", \"external_id\": \"order-4711\" }\n}"
   },
   {
    "kind": "paragraph",
    "text": "Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com/) 1.0.0 specifies, so that its libraries can verify them:"
   },
   {
    "kind": "table",
    "head": [
     "Header",
     "Contains"
    ],
    "rows": [
     [
      "`webhook-id`",
      "the event's id: the same for every attempt and every replay"
     ],
     [
      "`webhook-timestamp`",
      "when this attempt was made, in seconds since 1970"
     ],
     [
      "`webhook-signature`",
      "signatures of `id.timestamp.body`, separated by spaces: `v1,` with HMAC-SHA-256 under the `secret` (`whsec_…`), and `v1a,` with Ed25519, for the `public_keys` (`whpk_…`) of the webhook"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "Check the signature and the timestamp, and ignore an event whose id you have already seen: an event is sent at least once, and in rare cases more than once. Events are not always sent in the order in which they happened; `GET /api/v1/events` returns them in order."
   },
   {
    "kind": "paragraph",
    "text": "To replace the secret, send `POST /api/v1/webhooks/{id}/replace_secret`. Requests are then signed with both secrets for a day, or for `previous_seconds`."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "responding-to-a-webhook",
    "text": "Responding to a webhook"
   },
   {
    "kind": "paragraph",
    "text": "Respond with a status from 200 to 299 within 15 seconds, and do long work only after the response. Every other response is a failure, including a redirect. Up to 64 KiB of the response are read, and only its status is kept."
   },
   {
    "kind": "table",
    "head": [
     "Response",
     "Effect"
    ],
    "rows": [
     [
      "2xx",
      "the event is delivered"
     ],
     [
      "410",
      "the webhook is disabled"
     ],
     [
      "429 or 503 with `Retry-After`",
      "nothing is sent to the webhook for that time, but for an hour at most"
     ],
     [
      "any other response, or none",
      "the event is sent again after 5 s, 30 s, 2 min, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each up to a fifth later; then the delivery is abandoned"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A webhook is disabled when all requests have failed for 5 days; the account's owner then gets a mail. It is also disabled together with the key that created it, [if you ask for that](#keys), and by `POST /api/v1/webhooks/{id}/disable`. Nothing is sent until `POST /api/v1/webhooks/{id}/enable`; events that occur or become due meanwhile are abandoned, and can be replayed afterwards."
   },
   {
    "kind": "paragraph",
    "text": "Nothing is sent while an administrator has disabled the account. Events of that time wait, and are sent when the account is enabled again, unless they are older than 30 days (`WAYBILL_WEBHOOK_DAYS`)."
   },
   {
    "kind": "paragraph",
    "text": "URLs must begin with `https://`, and their host must have an address on the Internet, unless the administrator allows others (`WAYBILL_WEBHOOK_HTTP`, `WAYBILL_WEBHOOK_ALLOW`)."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "trying-a-webhook-on-your-own-machine",
    "text": "Trying a webhook on your own machine"
   },
   {
    "kind": "paragraph",
    "text": "With `npm run demo` and with compose.yaml, the server also accepts a receiver on the same machine: `http://127.0.0.1:8000/` with the demo, and `http://host.docker.internal:8000/` with compose.yaml, where the receiver has to listen on all addresses. There you can see retries, signatures, a change of the secret and a replay before you publish anything. On another server, an administrator can allow it by `WAYBILL_WEBHOOK_ALLOW` and `WAYBILL_WEBHOOK_HTTP`. With any server, [`waybill webhooks listen --forward URL`](client.md#keys-and-webhooks) sends the account's events to a receiver on your machine, signed, but once only."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "debugging-a-webhook",
    "text": "Debugging a webhook"
   },
   {
    "kind": "paragraph",
    "text": "`POST /api/v1/webhooks/{id}/test` sends an event of the type `webhook.test`. The log of attempts contains the status of every response, or the reason why there was none:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" \"$WAYBILL_URL/api/v1/webhooks/$WEBHOOK/attempts?limit=10\""
   },
   {
    "kind": "table",
    "head": [
     "`failure`",
     "Meaning"
    ],
    "rows": [
     [
      "`no_public_address`",
      "the host has no address in DNS, or one of its addresses is not on the Internet"
     ],
     [
      "`url_not_allowed`",
      "the administrator no longer allows such URLs"
     ],
     [
      "`no_connection`",
      "nothing listens at that address"
     ],
     [
      "`tls_failed`",
      "the certificate is not valid for the host, or the host does not speak TLS"
     ],
     [
      "`timeout`",
      "there was no response within 15 seconds"
     ],
     [
      "`broken_response`",
      "the response is not HTTP, or was cut off"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "A replay sends one event, or all events since a given time, again, and returns how many (`event_count`). It includes events that occurred while the webhook was disabled, for 30 days (`WAYBILL_WEBHOOK_DAYS`), but not events from before the webhook existed:"
   },
   {
    "kind": "code",
    "text": "curl -H \"Authorization: Bearer $WAYBILL_API_KEY\" -H \"Content-Type: application/json\" \\\n  -d '{\"since\":\"2030-01-31T12:00:00Z\"}' \"$WAYBILL_URL/api/v1/webhooks/$WEBHOOK/replay\""
   }
  ]
 },
 {
  "id": "problems",
  "title": "Problems",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Errors are returned as problems (RFC 9457), with the media type `application/problem+json`. `type` is the address of an explanation on the server, `code` is its last part, and `detail` describes what to do. `instance` identifies the HTTP request and ends with the value of the header `X-Request-Id`: quote it when you contact the administrator. If fields are invalid, `errors` lists all of them, up to 100, each with a `detail`, a `code`, and the place: a JSON `pointer` into the body, or the name of a `parameter` of the query or the path. If a file is too large, `max_size` is the size in bytes that would be accepted, in this request if a larger file can be sent in parts."
   },
   {
    "kind": "paragraph",
    "text": "The `code` of a fault says what is wrong with the value: it is missing (`required`), no field or parameter (`unknown`), `wrong_type`, `wrong_format`, none of those that are allowed (`not_allowed`), a number that is `out_of_range`, a text that is `too_short` or `too_long`, a list with `too_few` or `too_many` entries, there already (`repeated`), or against another rule, which `detail` describes (`invalid`). A fault can also have the code of a problem, such as `recipient_not_allowed`. A very large body is reported with its first fault only."
   }
  ]
 },
 {
  "id": "formats",
  "title": "Formats",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Times are in the format of RFC 3339. Unknown fields are refused."
   }
  ]
 },
 {
  "id": "compatibility",
  "title": "Compatibility",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Names are promised from the first release on. Within version 1, these can be added at any time:"
   },
   {
    "kind": "list",
    "ordered": false,
    "items": [
     "operations, optional fields and parameters of requests, and values that a request accepts",
     "fields and headers of responses, types of events, and codes of problems and faults",
     "limits that are higher than before; texts for people, such as `detail`, may change"
    ]
   },
   {
    "kind": "paragraph",
    "text": "Write clients that tolerate this: ignore fields and types of events that you do not know, treat a code that you do not know by its status, and do not rely on the order of fields or the form of ids, cursors, keys and links."
   },
   {
    "kind": "paragraph",
    "text": "These do not change within version 1: the names and types of what exists, the names of operations and schemas, from which clients are generated, the scope that an operation needs, the status of a success, and the values that a field of a response can have. Nothing that is optional becomes required, no request is refused that was accepted, and no limit becomes lower. An administrator can still lower [the limits of an account](#limits), and a fault in security may have to be corrected at once; both say so."
   },
   {
    "kind": "paragraph",
    "text": "Something that is to disappear is deprecated first, for a year at least, and disappears only in a version with another address, such as `/api/v2`. Until then it works as before. Its responses have the headers `Deprecation` (RFC 9745) with the time since when, `Sunset` (RFC 8594) with the time from when it may be gone, and `Link`, which leads here. It is marked in the OpenAPI document as `deprecated`, and says what to use instead. Nothing is deprecated now. [The changes of the wire](wire-changes.md) are listed with each release. Before a release, its OpenAPI document is compared with the one before."
   }
  ]
 },
 {
  "id": "coming-from-the-machine-api",
  "title": "Coming from the machine API",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "Both APIs use the same accounts, keys and data, so you can migrate a program one operation at a time. There are no drafts: uploads have ids, and a single request creates a drop with its uploads and receivers."
   },
   {
    "kind": "table",
    "head": [
     "Operation of [the machine API](api.md#operations)",
     "/api/v1"
    ],
    "rows": [
     [
      "1. Get a CSRF token",
      "not needed"
     ],
     [
      "2. Get contacts",
      "`GET /contacts`, page by page, both lists together. `nick` is `name`, and `number` is `phone`"
     ],
     [
      "3. Add contacts",
      "`POST /contacts/import`, or `PUT` and `DELETE` of `/contacts/{email}`. Nothing replaces the whole list. Receivers need not be contacts"
     ],
     [
      "4. Set receivers",
      "`receivers` of `POST /drops`"
     ],
     [
      "5. Get uploaded files",
      "`GET /uploads`, page by page, or `GET /uploads/{id}`"
     ],
     [
      "6. Delete an uploaded file",
      "`DELETE /uploads/{id}`"
     ],
     [
      "7. Upload files",
      "`POST /uploads`, one file at a time"
     ],
     [
      "8. Create a dispatch",
      "`POST /drops`; `desttime` is `expires_in`, in seconds"
     ],
     [
      "9. Allow contacts to send files",
      "`POST /requests` with `\"reusable\":true`; `desttime` is `expires_in`, in seconds"
     ],
     [
      "10. Get history",
      "`GET /drops` for sent drops, `GET /inbox` for received ones, `GET /events` for changes"
     ],
     [
      "11. Download a file",
      "`GET /inbox/{id}/files/{file}`"
     ],
     [
      "12. Download all files",
      "`GET /inbox/{id}/all.zip`"
     ]
    ]
   }
  ]
 }
];

export const machineGuides: readonly Guide[] = [
 {
  "id": "workflow",
  "title": "Workflow",
  "blocks": [
   {
    "kind": "list",
    "ordered": true,
    "items": [
     "Get the index page and extract the CSRF token from it.",
     "Read the contacts, and add those that are missing.",
     "Set the receivers of this dispatch. Each must be a contact.",
     "Call `get_files.cgi`. This opens the list of uploaded files; without it nothing can be dispatched.",
     "Upload files.",
     "Create the dispatch. Each receiver gets a mail with a personal link.",
     "A receiver with an account on this server reads its history, finds the dispatch in `inbox`, and downloads the files."
    ]
   },
   {
    "kind": "paragraph",
    "text": "The link in a mail leads to a page with the files. It is made for people and is not part of the machine API. The link of a request for files leads to a page on which the contact uploads and sends files; they appear in the account's `inbox`, with the contact's address as `sender`."
   },
   {
    "kind": "paragraph",
    "text": "In a shell, with the server's address in `BASE_URL`, and two accounts with their keys in `USER_A`, `KEY_A`, `USER_B` and `KEY_B`:"
   },
   {
    "kind": "code",
    "text": "date > hello.txt\ntoken() { sed -n 's/.*name=\"csrftoken\" value=\"\\([^\"]*\\)\".*/\\1/p'; }\n\n# The sender: a token, a contact, a receiver, a file, a dispatch.\na=$(curl -fsS -u \"$USER_A:$KEY_A\" \"$BASE_URL/$USER_A/\" | token)\ncurl -fsS -u \"$USER_A:$KEY_A\" -H \"CSRF-Token: $a\" --json \"[{\\\"email\\\":\\\"$USER_B\\\"}]\" -H 'Prefer: handling=lenient' \"$BASE_URL/$USER_A/cgi/contacts_add.cgi\"\ncurl -fsS -u \"$USER_A:$KEY_A\" -H \"CSRF-Token: $a\" --json \"[{\\\"email\\\":\\\"$USER_B\\\"}]\" \"$BASE_URL/$USER_A/cgi/receivers_set.cgi\"\ncurl -fsS -u \"$USER_A:$KEY_A\" -H \"CSRF-Token: $a\" \"$BASE_URL/$USER_A/cgi/get_files.cgi\"\ncurl -fsS -u \"$USER_A:$KEY_A\" -H \"CSRF-Token: $a\" -F do=upload -F file=@hello.txt \"$BASE_URL/$USER_A/cgi/upload.cgi\"\ncurl -fsS -u \"$USER_A:$KEY_A\" -H \"CSRF-Token: $a\" --json '{\"desttime\":1,\"ddmessage\":\"Hello\"}' \"$BASE_URL/$USER_A/cgi/createdrop.cgi\"\n\n# The receiver, an account on the same server: a token, the newest entry of the inbox, the file.\nb=$(curl -fsS -u \"$USER_B:$KEY_B\" \"$BASE_URL/$USER_B/\" | token)\ncurl -fsS -u \"$USER_B:$KEY_B\" -H \"CSRF-Token: $b\" -o history.json \"$BASE_URL/$USER_B/cgi/get_history.cgi\"\ninbox=$(grep -o '\"url\":\"[^\"]*\"' history.json | sed -n '1s/\"url\":\"\\(.*\\)\"/\\1/p')\ncurl -fsS -u \"$USER_B:$KEY_B\" -H \"CSRF-Token: $b\" -o received.txt \"$BASE_URL/$USER_B/$inbox/files/hello.txt\"\ncmp hello.txt received.txt && echo 'The file arrived as it was sent.'"
   },
   {
    "kind": "paragraph",
    "text": "`Prefer: handling=lenient` makes the first step repeatable: without it, adding a contact that already exists fails. The list in the request replaces the account's contacts."
   }
  ]
 },
 {
  "id": "common-rules",
  "title": "Common rules",
  "blocks": [
   {
    "kind": "heading",
    "level": 2,
    "id": "authentication",
    "text": "Authentication"
   },
   {
    "kind": "paragraph",
    "text": "Every request carries `Authorization: Basic`, with the account's address as the user name and one of its live API keys as the password. The address in the path must be the same. `{user}` is compared exactly, so send it in lower case. A missing or wrong credential returns 401 `unauthorized`; the response is the same for an unknown account, a wrong or revoked key and a disabled account. Valid credentials for another account's path return 403 `wrong_account`, whether or not that account exists."
   },
   {
    "kind": "paragraph",
    "text": "Only failures are limited: after more than `WAYBILL_FAILURES_PER_MINUTE` failures in a minute (300 by default) from one client address, further failures return 429 with `Retry-After`. This limit never applies to a request with a valid key."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "csrf-token",
    "text": "CSRF token"
   },
   {
    "kind": "paragraph",
    "text": "Every operation except the index page needs the header `CSRF-Token` with a token of this account. A token is valid for 15 minutes by default (`WAYBILL_CSRF_LIFETIME_SECONDS`), and each accepted request restarts this period. An account has at most 60 tokens; creating another one removes the least recently used. A missing, expired, removed or foreign token returns 403 `csrf_rejected`: get the index page again and repeat the request. Tokens may be lost when Valkey or Redis restarts, so a client should handle this response at any time."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "drafts",
    "text": "Drafts"
   },
   {
    "kind": "paragraph",
    "text": "Receivers, uploaded files and the opened file list together form a draft. By default an account has one. Workers that share an account and send at the same time would mix their files, so each of them should name its own draft with"
   },
   {
    "kind": "code",
    "text": "Waybill-Draft: worker-1"
   },
   {
    "kind": "paragraph",
    "text": "(1 to 64 of the characters A–Z a–z 0–9 `-` `_`) on `receivers_set.cgi`, `get_files.cgi`, `remove_file.cgi`, `upload.cgi`, `createdrop.cgi` and `givedrop.cgi`. Contacts, history and inbox belong to the account, regardless of the draft. A draft that has not been used for 7 days, or for the period that the operator has set, is deleted with its files."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "repeated-dispatches",
    "text": "Repeated dispatches"
   },
   {
    "kind": "paragraph",
    "text": "A client that did not receive the response from `createdrop.cgi` or `givedrop.cgi` may send the request again."
   },
   {
    "kind": "list",
    "ordered": false,
    "items": [
     "With `Idempotency-Key` (1 to 255 printable ASCII characters), only the key is compared. The first request with a key is carried out. A request with the same key, operation, draft and body returns `ok` and does nothing, whatever is staged by then. With a different operation, draft or body, or with another API key, it returns 409 `idempotency_key_reused`. Keys belong to the account, not to a draft, and are kept for 7 days. A request that failed leaves its key unused.",
     "Without the header, a request counts as a repetition if it equals one of the draft's last ten dispatches, comes within 10 minutes of it, and no receivers were set and (for `createdrop.cgi`) no file was staged in between. It returns `ok` and creates nothing."
    ]
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "changing-contacts-safely",
    "text": "Changing contacts safely"
   },
   {
    "kind": "paragraph",
    "text": "`contacts_read.cgi` and `contacts_add.cgi` return an `ETag`. If it is sent back as `If-Match`, `contacts_add.cgi` fails with 412 `precondition_failed` when either list has changed in the meantime. `Prefer: handling=lenient` turns `contacts_add.cgi` into a plain replacement in which known addresses are kept or updated; the response then has `Preference-Applied`. With both headers, one contact can be changed without the list ever being empty."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "format-of-requests",
    "text": "Format of requests"
   },
   {
    "kind": "paragraph",
    "text": "JSON bodies carry `Content-Type: application/json` and are UTF-8. They must not contain duplicate keys, the key `__proto__`, numbers too large for a double, more than 16 levels of nesting, or fields that are not listed here. A body with a `Content-Encoding` is refused (415). A GET or HEAD request has no body. Headers that affect the outcome must not occur twice. The `Host` must be the server's own. A request that a browser marks as started by another site is refused."
   },
   {
    "kind": "heading",
    "level": 2,
    "id": "headers-of-every-response",
    "text": "Headers of every response"
   },
   {
    "kind": "paragraph",
    "text": "Every response has these headers, including error responses."
   },
   {
    "kind": "code",
    "text": "cache-control: no-cache, no-store, must-revalidate\nexpires: 0\npragma: no-cache\nstrict-transport-security: max-age=31536000; includeSubDomains\ncontent-security-policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'\nx-frame-options: SAMEORIGIN\nx-content-type-options: nosniff\nx-xss-protection: 0\nreferrer-policy: no-referrer\nx-request-id: 2bf29d-5c0e8a71b94d23f6"
   },
   {
    "kind": "paragraph",
    "text": "`X-Request-Id` is also in the server's log: quote it when you contact the administrator. Only the response to a request that could not be parsed as HTTP lacks it. A download has a stricter policy, `sandbox; default-src 'none'`."
   },
   {
    "kind": "paragraph",
    "text": "An error response has the appropriate HTTP status and the following body. Base decisions on `code`, and show `message` to people:"
   },
   {
    "kind": "code",
    "text": "{\"status\":\"error\",\"code\":\"no_receivers\",\"message\":\"No receivers are set. Set them with receivers_set.cgi and try again.\"}"
   }
  ]
 },
 {
  "id": "limits",
  "title": "Limits",
  "blocks": [
   {
    "kind": "paragraph",
    "text": "The names are those in `protocol/src/limits.ts`."
   },
   {
    "kind": "table",
    "head": [
     "Name",
     "Value",
     "Applies to"
    ],
    "rows": [
     [
      "`csrfTokensPerAccount`",
      "60",
      "live CSRF tokens per account; the least recently used one is removed"
     ],
     [
      "`contactsPerAccount`",
      "10,000",
      "local contacts, and global contacts"
     ],
     [
      "`contactsPerImport`",
      "1,000",
      "contacts in one import of [/api/v1](api-v1.md#import)"
     ],
     [
      "`receiversPerDispatch`",
      "1,000",
      "receivers of a draft"
     ],
     [
      "`filesPerDraft`",
      "1,000",
      "files staged in a draft"
     ],
     [
      "`filesPerUpload`",
      "100",
      "files in one upload"
     ],
     [
      "`emailLength`",
      "254",
      "characters in an address"
     ],
     [
      "`nameLength`",
      "200",
      "characters in `nick` and `name`, and in the name and the note of a wanted file"
     ],
     [
      "`titleLength`",
      "200",
      "characters in the title of a request of /api/v1"
     ],
     [
      "`wantedFilesPerRequest`",
      "50",
      "files that a request of /api/v1 wants"
     ],
     [
      "`groupsPerContact`",
      "50",
      "groups of a contact"
     ],
     [
      "`groupLength`",
      "100",
      "characters in a group's name"
     ],
     [
      "`languageLength`",
      "35",
      "characters in `language`"
     ],
     [
      "`messageLength`",
      "20,000",
      "characters in `ddmessage`"
     ],
     [
      "`passphraseLength`",
      "1,000",
      "characters of a passphrase on /api/v1"
     ],
     [
      "`titleLength`",
      "200",
      "characters in `title` of [/api/v1](api-v1.md)"
     ],
     [
      "`fileNameBytes`",
      "255",
      "bytes in a file name, as UTF-8"
     ],
     [
      "`filePathBytes`",
      "1,024",
      "bytes in a file's path, as UTF-8"
     ],
     [
      "`filePathDepth`",
      "32",
      "names in a file's path, including its own"
     ],
     [
      "`contactListBytes`",
      "8,388,608",
      "bytes in the body of `contacts_add.cgi`"
     ],
     [
      "`jsonBytes`",
      "1,048,576",
      "bytes in every other JSON body"
     ],
     [
      "`jsonDepth`",
      "16",
      "nested objects and arrays in a body"
     ],
     [
      "`idempotencyKeyLength`",
      "255",
      "characters in `Idempotency-Key`"
     ],
     [
      "`keptResponses`",
      "100,000",
      "responses to requests with an `Idempotency-Key` that are kept for one account"
     ],
     [
      "`keptResponseBytes`",
      "268,435,456",
      "bytes of these responses together"
     ],
     [
      "`keyNameLength`",
      "100",
      "characters in the name of a key of [/api/v1](api-v1.md)"
     ],
     [
      "`networksPerKey`",
      "50",
      "networks of a key of [/api/v1](api-v1.md)"
     ],
     [
      "`entriesPerClaim`",
      "100",
      "entries of the inbox in one claim of [/api/v1](api-v1.md)"
     ],
     [
      "`filesPerClaim`",
      "1,000",
      "files that the response to a claim lists, of all its entries together"
     ],
     [
      "`minLeaseSeconds`",
      "10",
      "seconds of a lease, at least"
     ],
     [
      "`maxLeaseSeconds`",
      "3,600",
      "seconds of a lease, at most"
     ],
     [
      "`nackDelaySeconds`",
      "86,400",
      "seconds for which a returned entry cannot be claimed"
     ],
     [
      "`minNackBackOffSeconds`",
      "30",
      "seconds for which an entry that is returned without a delay cannot be claimed after its first attempt; twice as many after each further one"
     ],
     [
      "`maxNackBackOffSeconds`",
      "3,600",
      "seconds for which an entry that is returned without a delay cannot be claimed, at most"
     ],
     [
      "`pageSize`",
      "100",
      "entries on a page of a list of [/api/v1](api-v1.md)"
     ],
     [
      "`eventWaitSeconds`",
      "30",
      "seconds that a request for events of [/api/v1](api-v1.md#events) may wait"
     ],
     [
      "`webhooksPerAccount`",
      "20",
      "webhooks of an account, on [/api/v1](api-v1.md)"
     ],
     [
      "`countedReplays`",
      "100,000",
      "events that the response to a replay counts, at most; all are sent"
     ],
     [
      "`webhookUrlLength`",
      "2048",
      "characters in the URL of a webhook"
     ],
     [
      "`webhookDescriptionLength`",
      "200",
      "characters in the description of a webhook"
     ],
     [
      "`typesPerWebhook`",
      "50",
      "types of events of a webhook"
     ],
     [
      "`cursorLength`",
      "1,024",
      "characters in a `cursor` of [/api/v1](api-v1.md)"
     ],
     [
      "`externalIdLength`",
      "200",
      "characters in the `external_id` of a drop of [/api/v1](api-v1.md)"
     ],
     [
      "`metadataEntries`",
      "50",
      "entries in the `metadata` of a drop of [/api/v1](api-v1.md)"
     ],
     [
      "`metadataNameLength`",
      "40",
      "characters in the name of such an entry"
     ],
     [
      "`metadataValueLength`",
      "500",
      "characters in the value of such an entry"
     ],
     [
      "`wholeUploadBytes`",
      "67,108,864",
      "bytes of a file that is sent to [/api/v1](api-v1.md#uploads) in one request"
     ]
    ]
   },
   {
    "kind": "paragraph",
    "text": "The administrator sets the maximum file size (2 TiB by default), the maximum `desttime` (30), its unit (days) and its default (7); see [configuration.md](configuration.md). With `WAYBILL_SCAN=required`, which is the default, a file cannot be larger than the scanner accepts."
   },
   {
    "kind": "paragraph",
    "text": "Slow peers are disconnected: if the headers take more than 10 seconds, if a body arrives at less than 1 KiB/s over 30 seconds, or if a reader accepts nothing for 60 seconds. There is no limit on the rate of successful requests. The administrator can limit how much an account stores (507 `storage_full`) and sends in a day (429 `daily_limit`), and the domains to which it sends (403 `recipient_not_allowed`)."
   }
  ]
 }
];

/** The texts about each operation of the machine API, by its path. */
export const machineOperations: Readonly<Record<string, readonly ReferenceBlock[]>> = {
 "/": [
  {
   "kind": "paragraph",
   "text": "Needs only Basic authentication. The response is an HTML page with one hidden input, whose value is the token."
  },
  {
   "kind": "paragraph",
   "text": "Without the trailing slash the path returns 404."
  }
 ],
 "/cgi/contacts_read.cgi": [
  {
   "kind": "paragraph",
   "text": "Returns the account's own contacts (`local`) and the administrator's, which every account sees (`global`)."
  },
  {
   "kind": "paragraph",
   "text": "The response has an `ETag`, here `\"1-0\"`."
  }
 ],
 "/cgi/contacts_add.cgi": [
  {
   "kind": "paragraph",
   "text": "The array **replaces** the local contacts; `[]` removes them all. If an address is already a local contact, or appears twice in the array, the whole request fails and nothing is changed. The global list never changes."
  }
 ],
 "/cgi/receivers_set.cgi": [
  {
   "kind": "paragraph",
   "text": "The array replaces the draft's receivers; `[]` removes them. Each must be a local or global contact. The fields are those of a contact; a field that is sent overrides the contact's for this dispatch. `name` is shown in the history."
  }
 ],
 "/cgi/get_files.cgi": [
  {
   "kind": "paragraph",
   "text": "Opens the draft's file list, which a dispatch requires, and returns the files staged in it; `[]` if there are none."
  },
  {
   "kind": "paragraph",
   "text": "`type` is the media type that the sender declared. `size` is for people, in powers of 1000."
  },
  {
   "kind": "paragraph",
   "text": "With `Prefer: file-digests`, each file also has `bytes`, its exact size, and `sha256`, its SHA-256 in hexadecimal; the response then has `Preference-Applied: file-digests`. A client that repeats an interrupted send can skip files that are already staged."
  }
 ],
 "/cgi/remove_file.cgi": [],
 "/cgi/upload.cgi": [
  {
   "kind": "paragraph",
   "text": "`multipart/form-data` with one field `do` with the value `upload` and 1 to 100 files in fields named `file`, in any order. Either all files of a request are kept or none. A file with the same name as a staged file replaces it. The length of the body need not be known in advance."
  },
  {
   "kind": "paragraph",
   "text": "The response uses chunked transfer encoding and is sent after the files have been stored, scanned and committed. Uploads cannot be resumed yet: send an interrupted upload again."
  },
  {
   "kind": "paragraph",
   "text": "A file name is 1 to 255 bytes of UTF-8 and is stored in NFC. Slashes, backslashes, their percent-encoded forms, drive letters, control characters, line separators and characters that change the direction of text are refused, as are `.`, `..` and names without a visible character. If both `filename` and `filename*` are sent, they must agree."
  },
  {
   "kind": "paragraph",
   "text": "A file from a folder can carry its path in that folder, in a header of its part: `Waybill-Path` contains the names of the folders and of the file, separated by `/`, in UTF-8 and percent-encoded. The names of folders follow the same rules as file names; the last name is the file's. A decoded path has up to 32 names and 1,024 bytes. Without the header, the path is the name. A file replaces a staged file with the same path. If a file with another path has the same name, the name that this API shows gets a number: `orders (2).csv`."
  },
  {
   "kind": "paragraph",
   "text": "If the request has a `Content-Length`, that many bytes of the account's storage are reserved before the first file is read. Without one, they are reserved as they arrive, so several simultaneous uploads may all be refused although one of them would have fitted."
  }
 ],
 "/cgi/createdrop.cgi": [
  {
   "kind": "paragraph",
   "text": "Turns the draft into a drop with the draft's receivers and files and the fields of the body. Afterwards the draft is empty and its file list is closed."
  },
  {
   "kind": "paragraph",
   "text": "Jobs send the mails after the response, as HTML and plain text, in the receiver's `language` if there are texts in it (German, English, French, Spanish, Swedish, and any that the operator has added), otherwise in the server's. The receiver's page uses the same language unless the reader chooses another."
  }
 ],
 "/cgi/givedrop.cgi": [
  {
   "kind": "paragraph",
   "text": "Gives each of the draft's receivers a personal link with which they can send files back. The body is the same as for `createdrop.cgi`. Receivers are required, files are not; staged files and the opened list stay as they are. On the page behind the link, the contact uploads files and sends them to the account's inbox."
  },
  {
   "kind": "paragraph",
   "text": "The errors are those of `createdrop.cgi`, without `file_list_not_initialized` and `no_files`."
  }
 ],
 "/cgi/get_history.cgi": [
  {
   "kind": "paragraph",
   "text": "An ended drop stays in the history for as long as the server keeps it (`WAYBILL_HISTORY_DAYS`, a year by default). The sender's `first_run`, `change_passwd` and `settings` are constants so far. The response is streamed while the database is read. If that fails halfway, the connection is closed, so check that the JSON is complete."
  }
 ],
 "/:inbox/files/:name": [
  {
   "kind": "paragraph",
   "text": "`<inbox url>` is the `url` of an inbox entry, and `<file name>` is the percent-encoded `name` of one of its files. The CSRF token is required, as for every operation."
  },
  {
   "kind": "paragraph",
   "text": "A download is always an attachment of plain bytes, whatever the file is. `ETag` and `Repr-Digest` are the SHA-256 of the whole file in base64. A single byte `Range` is honoured (206), also with `If-Range`, so a download can be resumed; a request for several ranges gets the whole file. HEAD returns the same headers without the file. If stored bytes turn out to be damaged, the transfer is aborted: treat fewer bytes than `Content-Length` as an error."
  },
  {
   "kind": "paragraph",
   "text": "`Waybill-Path` is the file's path in the folder that was sent: the names of the folders and of the file, separated by `/`, in UTF-8 and percent-encoded. For a file that was sent on its own, it is the file's name. The sender chose the names: they may be reserved on the receiver's system, or differ only in case. A program that creates files from them must make them safe, as the [client](client.md) does."
  }
 ],
 "/:inbox/all.zip": [
  {
   "kind": "paragraph",
   "text": "Returns all files of an inbox entry as one ZIP, in their folders, under names that every system can unpack. This operation extends the original contract."
  },
  {
   "kind": "paragraph",
   "text": "The files are not compressed. The ZIP of a drop has the same bytes every time, so it can be resumed with `Range` and `If-Range` like a file. If the entry contains files that were stored before the server kept their CRC-32, the ZIP cannot be resumed: there is no `ETag`, and `Accept-Ranges` is `none`."
  }
 ]
};
