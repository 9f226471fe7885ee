CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL);
CREATE TABLE idempotency_records (
  account TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  status INTEGER,
  sealed_body TEXT,
  PRIMARY KEY (account, idempotency_key)
);
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL,
  account TEXT NOT NULL,
  resource TEXT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  delivered_at BIGINT,
  abandoned_at BIGINT,
  attempts INTEGER NOT NULL,
  next_attempt_at BIGINT
, callback TEXT, claimed_at BIGINT, main_account TEXT NOT NULL DEFAULT '', written_in BIGINT NOT NULL DEFAULT 0, lane TEXT);
CREATE TABLE last_alive (
  id INTEGER PRIMARY KEY,
  alive_at BIGINT NOT NULL
, counted_at BIGINT);
CREATE TABLE accounts (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  auth_id TEXT NOT NULL UNIQUE,
  parent TEXT,
  name TEXT NOT NULL,
  city TEXT NOT NULL,
  address TEXT NOT NULL,
  timezone TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  token_sealed TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  subaccounts INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  modified_at BIGINT
);
CREATE TABLE applications (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  app_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  app_name TEXT COLLATE BINARY NOT NULL,
  answer_url TEXT NOT NULL,
  answer_method TEXT NOT NULL,
  hangup_url TEXT NOT NULL,
  hangup_method TEXT NOT NULL,
  fallback_answer_url TEXT NOT NULL,
  fallback_method TEXT NOT NULL,
  message_url TEXT NOT NULL,
  message_method TEXT NOT NULL,
  default_number_app INTEGER NOT NULL,
  default_endpoint_app INTEGER NOT NULL,
  public_uri INTEGER NOT NULL,
  log_incoming_messages INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TABLE application_totals (
  account TEXT PRIMARY KEY,
  total INTEGER NOT NULL
);
CREATE TABLE sip_endpoints (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  username TEXT NOT NULL UNIQUE,
  base_name TEXT NOT NULL,
  stamp BIGINT NOT NULL,
  alias TEXT NOT NULL,
  application_id TEXT,
  password_md5_sealed TEXT NOT NULL,
  ha1_md5 TEXT NOT NULL,
  ha1_sha256 TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TABLE sip_endpoint_totals (
  account TEXT PRIMARY KEY,
  total INTEGER NOT NULL
);
CREATE TABLE "sip_bindings" (
  endpoint_id TEXT NOT NULL,
  contact TEXT NOT NULL,
  instance TEXT NOT NULL,
  reg_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  flow TEXT COLLATE BINARY NOT NULL,
  q DOUBLE PRECISION NOT NULL,
  expires_at BIGINT NOT NULL,
  call_id TEXT NOT NULL,
  cseq BIGINT NOT NULL,
  user_agent TEXT NOT NULL,
  registered_at BIGINT NOT NULL, may_call INTEGER NOT NULL DEFAULT 1, refreshed_at BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (endpoint_id, contact, instance, reg_id)
);
CREATE TABLE sip_instances (
  endpoint_id TEXT NOT NULL,
  instance TEXT NOT NULL,
  first_at BIGINT NOT NULL,
  PRIMARY KEY (endpoint_id, instance)
);
CREATE TABLE trunk_credentials (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  username TEXT NOT NULL,
  ha1_md5 TEXT NOT NULL,
  ha1_sha256 TEXT NOT NULL,
  previous_username TEXT,
  previous_ha1_md5 TEXT,
  previous_ha1_sha256 TEXT,
  previous_until BIGINT
, realm TEXT, password_sealed TEXT, previous_password_sealed TEXT);
CREATE TABLE trunk_address_lists (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  addresses TEXT NOT NULL
);
CREATE TABLE trunk_origination_uris (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  uri TEXT NOT NULL,
  authentication_needed INTEGER NOT NULL,
  username TEXT,
  password_sealed TEXT
);
CREATE TABLE trunks (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  trunk_direction TEXT NOT NULL,
  trunk_status TEXT NOT NULL,
  secure INTEGER NOT NULL,
  ipacl_uuid TEXT,
  credential_uuid TEXT,
  primary_uri_uuid TEXT,
  fallback_uri_uuid TEXT,
  lost_credential_uuid TEXT
);
CREATE TABLE trunk_totals (
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (account, kind)
);
CREATE TABLE numbers (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  number TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  alias TEXT NOT NULL,
  app_id TEXT,
  trunk_id TEXT,
  created_at BIGINT NOT NULL
);
CREATE TABLE number_totals (
  account TEXT PRIMARY KEY,
  total INTEGER NOT NULL
);
CREATE TABLE recordings (
  recording_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  recording_type TEXT NOT NULL,
  call_uuid TEXT NOT NULL,
  mpc_uuid TEXT,
  mpc_name TEXT,
  from_number TEXT NOT NULL,
  to_number TEXT NOT NULL,
  format TEXT NOT NULL,
  max_seconds INTEGER NOT NULL,
  callback TEXT,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  closed_at BIGINT,
  end_reason TEXT,
  duration_ms BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  failure TEXT,
  is_discarded INTEGER NOT NULL
, announcement TEXT, sequence INTEGER NOT NULL DEFAULT 0, member_id BIGINT, track_type TEXT, channels TEXT);
CREATE TABLE recording_files_to_remove (
  file_name TEXT PRIMARY KEY
);
CREATE TABLE recording_files_to_keep (
  file_name TEXT PRIMARY KEY,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL
);
CREATE TABLE multiparty_calls (
  mpc_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  friendly_name TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  termination_code INTEGER,
  billed_seconds INTEGER NOT NULL,
  max_participants INTEGER NOT NULL,
  max_duration_seconds INTEGER NOT NULL,
  stay_alone INTEGER NOT NULL,
  record_min_member_count INTEGER NOT NULL,
  status_callback_url TEXT,
  status_callback_method TEXT,
  status_callback_events TEXT,
  recording_callback_url TEXT,
  recording_callback_method TEXT
, recording TEXT NOT NULL DEFAULT 'not-recording', is_end_owed INTEGER NOT NULL DEFAULT 0, billed_units BIGINT NOT NULL DEFAULT 0);
CREATE TABLE multiparty_participants (
  member_id BIGINT PRIMARY KEY,
  mpc_uuid TEXT NOT NULL,
  call_uuid TEXT NOT NULL,
  request_uuid TEXT NOT NULL,
  role TEXT NOT NULL,
  from_address TEXT NOT NULL,
  to_address TEXT NOT NULL,
  caller_name TEXT NOT NULL,
  phase TEXT NOT NULL,
  added_at BIGINT NOT NULL,
  joined_at BIGINT,
  exited_at BIGINT,
  exit_cause TEXT,
  coach_mode INTEGER NOT NULL,
  mute INTEGER NOT NULL,
  hold INTEGER NOT NULL,
  starts_on_enter INTEGER NOT NULL,
  ends_on_exit INTEGER NOT NULL,
  enter_sound TEXT NOT NULL,
  exit_sound TEXT NOT NULL,
  call_status_callback_url TEXT,
  call_status_callback_method TEXT
, rate_per_minute BIGINT NOT NULL DEFAULT 0, rate_initial_seconds INTEGER NOT NULL DEFAULT 60, rate_increment_seconds INTEGER NOT NULL DEFAULT 60, billed_seconds INTEGER, billed_units BIGINT, status_callback_url TEXT, status_callback_method TEXT, status_callback_events TEXT, has_started INTEGER NOT NULL DEFAULT 0);
CREATE TABLE multiparty_member_ids (
  only_row INTEGER PRIMARY KEY,
  last_reserved BIGINT NOT NULL
);
CREATE TABLE multiparty_hearing (
  mpc_uuid TEXT NOT NULL,
  listener BIGINT NOT NULL,
  speaker BIGINT NOT NULL,
  is_coach INTEGER NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT
);
CREATE TABLE calls (
  call_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  direction TEXT NOT NULL,
  from_number TEXT NOT NULL,
  to_number TEXT NOT NULL,
  caller_name TEXT NOT NULL,
  phase TEXT NOT NULL,
  initiated_at BIGINT NOT NULL,
  answered_at BIGINT,
  ended_at BIGINT,
  hangup_code INTEGER,
  hangup_name TEXT,
  hangup_source TEXT
, main_account TEXT NOT NULL DEFAULT '', request_uuid TEXT NOT NULL DEFAULT '', parent_call_uuid TEXT, parent_request_uuid TEXT NOT NULL DEFAULT '', source_ip TEXT, callbacks TEXT, rate_per_minute BIGINT NOT NULL DEFAULT 0, rate_initial_seconds INTEGER NOT NULL DEFAULT 60, rate_increment_seconds INTEGER NOT NULL DEFAULT 60, bill_seconds INTEGER NOT NULL DEFAULT 0, billed_seconds INTEGER NOT NULL DEFAULT 0, total_amount BIGINT NOT NULL DEFAULT 0, trunk_id TEXT, trunk_account TEXT, trunk_main_account TEXT, quality TEXT, hangup_reason TEXT, time_limit_seconds INTEGER);
CREATE TABLE call_totals (
  account TEXT NOT NULL,
  slot INTEGER NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (account, slot)
);
CREATE TABLE streams (
  stream_id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  call_uuid TEXT NOT NULL,
  mpc_uuid TEXT,
  service_url TEXT NOT NULL,
  audio_track TEXT NOT NULL,
  bidirectional INTEGER NOT NULL,
  settings TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  ended_at BIGINT,
  outcome TEXT,
  end_reason TEXT,
  failure TEXT,
  statistics TEXT,
  rate_per_minute INTEGER NOT NULL,
  rate_initial_seconds INTEGER NOT NULL,
  rate_increment_seconds INTEGER NOT NULL
);
CREATE TABLE carrier_calls (
  leg TEXT NOT NULL,
  carrier TEXT NOT NULL,
  number TEXT NOT NULL,
  reserved_at BIGINT NOT NULL,
  worst_case BIGINT NOT NULL,
  settled_at BIGINT,
  cost BIGINT,
  PRIMARY KEY (leg, carrier)
);
CREATE TABLE message_spend (
  gateway TEXT NOT NULL,
  minute BIGINT NOT NULL,
  units BIGINT NOT NULL,
  PRIMARY KEY (gateway, minute)
);
CREATE TABLE verify_sessions (
  session_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  app_uuid TEXT NOT NULL,
  alias TEXT NOT NULL,
  recipient TEXT NOT NULL,
  country TEXT,
  requestor_ip TEXT,
  status TEXT NOT NULL,
  callback_url TEXT,
  callback_method TEXT,
  template TEXT NOT NULL,
  code_length INTEGER NOT NULL,
  code_hash TEXT NOT NULL,
  sealed_code TEXT,
  max_attempts INTEGER NOT NULL,
  max_checks INTEGER NOT NULL,
  checks INTEGER NOT NULL,
  voice_fallback INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  closed_at BIGINT,
  brand_name TEXT,
  app_hash TEXT
, late_checks BIGINT NOT NULL DEFAULT 0);
CREATE TABLE verify_attempts (
  attempt_uuid TEXT PRIMARY KEY,
  session_uuid TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  error_code TEXT,
  created_at BIGINT NOT NULL,
  locale TEXT NOT NULL,
  brand_name TEXT,
  app_hash TEXT,
  dtmf INTEGER NOT NULL,
  fraud_check TEXT,
  sender TEXT,
  message TEXT
);
CREATE TABLE verify_apps (
  app_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  alias TEXT NOT NULL,
  brand_name TEXT NOT NULL,
  code_length INTEGER NOT NULL,
  code_expiry INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  max_validations INTEGER NOT NULL,
  sms_template TEXT NOT NULL,
  app_hash TEXT NOT NULL,
  sender TEXT NOT NULL,
  fraud_shield TEXT NOT NULL,
  allowed_countries TEXT NOT NULL,
  voice_fallback INTEGER NOT NULL,
  is_default INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE TABLE verify_counters (
  name TEXT NOT NULL,
  window_start BIGINT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (name, window_start)
);
CREATE TABLE sandbox_messages (
  message_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  text TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  receipt_at BIGINT
);
CREATE TABLE sandbox_call_recordings (
  sandbox_call_uuid TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);
CREATE TABLE callbacks (
  callback_id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  resource TEXT NOT NULL,
  event_type TEXT NOT NULL,
  url TEXT NOT NULL,
  method TEXT NOT NULL,
  fields TEXT NOT NULL,
  headers TEXT NOT NULL,
  signed_v2 TEXT NOT NULL,
  signed_v3 TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  response_status INTEGER,
  problem TEXT,
  duration_ms INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  last_attempt_at BIGINT NOT NULL,
  next_attempt_at BIGINT
, attempt_log TEXT NOT NULL DEFAULT '[]');
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('http/0001-idempotency', '8f117d3c8d4ee6c8', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('kernel/0001-outbox', '182ce8d50772a456', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('kernel/0002-outbox-callbacks', '3ef4c666b2a79b57', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('kernel/0003-event-feed', 'cc50d4c8c01dd124', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('kernel/0004-last-alive', '9e49730396aa2d41', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('kernel/0005-last-alive-counted', '2d350fb832aa8654', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('accounts/0001-accounts', '7109a887c365acf3', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('applications/0001-applications', '8a4687e129a94a9b', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sip-endpoints/0001-sip-endpoints', '5eebe581a3406f30', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sip-endpoints/0002-by-application', '52b96e60d29ce2ba', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sip-endpoints/0003-flows', '37e654b380ddcdea', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sip-endpoints/0004-permissions', '496371cf256c7dfa', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sip-endpoints/0005-instances', '10f026903de54edd', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('trunks/0001-trunks', 'e525754cb45ee67a', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('trunks/0002-credential-secrets', '06cf6d4dabf7dcda', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('numbers/0001-numbers', 'f0d5820edde443e8', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('recordings/0001-recordings', '7485f8d6378efb2c', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('recordings/0002-multiparty-recordings', 'b4547618998c31e3', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('recordings/0003-indexes-of-filters', '043342a0dec8106b', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('multiparty-calls/0001-multiparty-calls', '35a9ce7f2f3b4afe', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('multiparty-calls/0002-recordings-and-hearing', 'e0b99855000ed5b4', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('multiparty-calls/0003-bills', 'dab3df07665f83a7', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('multiparty-calls/0004-open-hearing-by-listener', '89f5272741a40119', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('multiparty-calls/0005-participants-of-a-start', '54ca9581b2d4700f', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('multiparty-calls/0006-multiparty-calls-by-end', '3e2884f06426812a', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0001-calls', '86fc86702af363d8', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0002-call-records', '1621c5e7cd27904f', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0003-call-filters', '37d954eec6e2f813', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0004-trunk-calls', '370cf92542a883bd', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0005-call-quality', 'b4a28c45b27a6608', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0006-hangup-reason', 'bf311f85339d855f', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0007-calls-by-end', '79e9ce0bb4a23aa9', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('calls/0008-time-limit', 'c0235c4a8113c1e3', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('streams/0001-streams', '5e5a095c470be649', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('streams/0002-streams-of-subaccounts', '3edc08d78a29223a', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('carriers/0001-carrier-calls', '00f462358f010783', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('message-gateways/0001-message-spend', 'f2b70d114e19a89f', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('verify/0001-verify', '8d3f9af840af3e3c', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('verify/0002-late-checks', '5f15c29c4e7ef20e', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('verify/0003-sessions-by-end', 'a8a87d7f11b474d6', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sandbox-messages/0001-sandbox-messages', '136fff9051934fbc', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('sandbox-calls/0001-recordings', '0b2f9cf59538ddf7', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('callbacks/0001-callbacks', '815fe669d174daef', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('callbacks/0002-attempts', '7feb913248b497fb', 1795469905000);
INSERT INTO "schema_migrations" ("name", "checksum", "applied_at") VALUES ('callbacks/0003-subaccounts', 'e220b1685f137af8', 1795469905000);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (1, '01a20a58-9a78-745e-9844-99bd425ae0ff', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.started', '{"EventName":"MPCStart","EventTimestamp":"2026-11-23 21:38:28+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released"}', 1795469908600, 1795469908600, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (2, '01a20a58-9a78-7b05-af08-189c4c4679a8', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.add-participant-initiated', '{"EventName":"AddParticipantByAPIActionInitiated","EventTimestamp":"2026-11-23 21:38:28+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"1","ParticipantRole":"agent","ParticipantCallUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ParticipantCoachMode":false,"RequestUUID":"01a20a58-9a63-7e96-b2df-77898f9befec"}', 1795469908600, 1795469908600, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (3, '01a20a58-9ac1-7c6b-9677-56e47541d4c6', 'MACONFORMANCE0000000', 'call/01a20a58-9a63-7e96-b2df-77898f9befec', 'call.answered', '{"CallUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","RequestUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","From":"+12025550000","To":"+12025550101","CallerName":"+12025550000","Direction":"outbound","CallStatus":"in-progress","ALegUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ALegRequestUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ParentAuthID":"MACONFORMANCE0000000","SessionStart":"2026-11-23 21:38:28.605000","BillRate":"0.00000","Event":"StartApp"}', 1795469908673, 1795469908673, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (4, '01a20a58-9ac7-7fbb-998b-e022b5d44f14', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.participant-joined', '{"EventName":"ParticipantJoin","EventTimestamp":"2026-11-23 21:38:28+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"1","ParticipantRole":"agent","ParticipantCallUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ParticipantCoachMode":false}', 1795469908680, 1795469908680, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (5, '01a20a58-9ac7-7da1-b032-d27610721b91', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.add-participant-completed', '{"EventName":"AddParticipantByAPIActionCompleted","EventTimestamp":"2026-11-23 21:38:28+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"1","ParticipantRole":"agent","ParticipantCallUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ParticipantCoachMode":false,"RequestUUID":"01a20a58-9a63-7e96-b2df-77898f9befec"}', 1795469908680, 1795469908680, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (6, '01a20a58-9adf-771a-a4c7-c9928587f28e', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'recording.started', '{"EventName":"MPCRecordingInitiated","EventTimestamp":"2026-11-23 21:38:28+00:00","MPCName":"released","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","RecordingUUID":"01a20a58-9acc-7520-a2b0-e0db2e672e98","RecordingURL":"http://127.0.0.1:18080/v1/Account/MACONFORMANCE0000000/Recording/01a20a58-9acc-7520-a2b0-e0db2e672e98.mp3","RecordingResourceURL":"http://127.0.0.1:18080/v1/Account/MACONFORMANCE0000000/Recording/01a20a58-9acc-7520-a2b0-e0db2e672e98/","RecordingFormat":"mp3","RecordingDuration":0,"RecordingStartTime":"2026-11-23 21:38:28+00:00","RecordingEndTime":"","SequenceNumber":1}', 1795469908703, 1795469908703, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (7, '01a20a58-a647-7eca-988a-47703622d70c', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.add-participant-initiated', '{"EventName":"AddParticipantByAPIActionInitiated","EventTimestamp":"2026-11-23 21:38:31+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"2","ParticipantRole":"customer","ParticipantCallUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ParticipantCoachMode":false,"RequestUUID":"01a20a58-a646-7bab-b983-f830301a4b12"}', 1795469911623, 1795469911623, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (8, '01a20a58-a657-700d-b396-cca9aeaf9d9a', 'MACONFORMANCE0000000', 'call/01a20a58-a646-7bab-b983-f830301a4b12', 'call.answered', '{"CallUUID":"01a20a58-a646-7bab-b983-f830301a4b12","RequestUUID":"01a20a58-a646-7bab-b983-f830301a4b12","From":"+12025550000","To":"+12025550100","CallerName":"+12025550000","Direction":"outbound","CallStatus":"in-progress","ALegUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ALegRequestUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ParentAuthID":"MACONFORMANCE0000000","SessionStart":"2026-11-23 21:38:31.624000","BillRate":"0.00000","Event":"StartApp"}', 1795469911640, 1795469911640, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (9, '01a20a58-a659-7286-8d9a-113155225d67', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.participant-joined', '{"EventName":"ParticipantJoin","EventTimestamp":"2026-11-23 21:38:31+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"2","ParticipantRole":"customer","ParticipantCallUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ParticipantCoachMode":false}', 1795469911641, 1795469911641, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (10, '01a20a58-a659-7c4a-8400-96fa5ef5acba', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.add-participant-completed', '{"EventName":"AddParticipantByAPIActionCompleted","EventTimestamp":"2026-11-23 21:38:31+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"2","ParticipantRole":"customer","ParticipantCallUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ParticipantCoachMode":false,"RequestUUID":"01a20a58-a646-7bab-b983-f830301a4b12"}', 1795469911641, 1795469911641, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (11, '01a20a58-b211-7b71-a950-58cbe85efdaa', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.participant-exited', '{"EventName":"ParticipantExit","EventTimestamp":"2026-11-23 21:38:34+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"1","ParticipantRole":"agent","ParticipantCallUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ParticipantCoachMode":false}', 1795469914641, 1795469914641, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (12, '01a20a58-b211-7843-8df2-ae7d8ef2d2a1', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.participant-exited', '{"EventName":"ParticipantExit","EventTimestamp":"2026-11-23 21:38:34+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MemberID":"2","ParticipantRole":"customer","ParticipantCallUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ParticipantCoachMode":false}', 1795469914641, 1795469914641, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (13, '01a20a58-b225-78a4-a9de-2becc79637d2', 'MACONFORMANCE0000000', 'call/01a20a58-9a63-7e96-b2df-77898f9befec', 'call.ended', '{"CallUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","RequestUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","From":"+12025550000","To":"+12025550101","CallerName":"+12025550000","Direction":"outbound","CallStatus":"completed","ALegUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ALegRequestUUID":"01a20a58-9a63-7e96-b2df-77898f9befec","ParentAuthID":"MACONFORMANCE0000000","SessionStart":"2026-11-23 21:38:28.605000","BillRate":"0.00000","Duration":"6","BillDuration":"6","TotalCost":"0.00000","HangupCause":"Multiparty Call Ended","HangupCauseName":"Multiparty Call Ended","HangupCauseCode":"4020","HangupSource":"API Request","StartTime":"2026-11-23 21:38:28+00:00","AnswerTime":"2026-11-23 21:38:28+00:00","EndTime":"2026-11-23 21:38:34+00:00","Event":"Hangup"}', 1795469914661, 1795469914661, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (14, '01a20a58-b226-7611-8a2d-78402e07ee3b', 'MACONFORMANCE0000000', 'call/01a20a58-a646-7bab-b983-f830301a4b12', 'call.ended', '{"CallUUID":"01a20a58-a646-7bab-b983-f830301a4b12","RequestUUID":"01a20a58-a646-7bab-b983-f830301a4b12","From":"+12025550000","To":"+12025550100","CallerName":"+12025550000","Direction":"outbound","CallStatus":"completed","ALegUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ALegRequestUUID":"01a20a58-a646-7bab-b983-f830301a4b12","ParentAuthID":"MACONFORMANCE0000000","SessionStart":"2026-11-23 21:38:31.624000","BillRate":"0.00000","Duration":"3","BillDuration":"3","TotalCost":"0.00000","HangupCause":"Multiparty Call Ended","HangupCauseName":"Multiparty Call Ended","HangupCauseCode":"4020","HangupSource":"API Request","StartTime":"2026-11-23 21:38:31+00:00","AnswerTime":"2026-11-23 21:38:31+00:00","EndTime":"2026-11-23 21:38:34+00:00","Event":"Hangup"}', 1795469914662, 1795469914662, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (15, '01a20a58-b239-7a5a-a5ba-1adb4a50ae2d', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'recording.completed', '{"EventName":"MPCRecordingCompleted","EventTimestamp":"2026-11-23 21:38:34+00:00","MPCName":"released","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","RecordingUUID":"01a20a58-9acc-7520-a2b0-e0db2e672e98","RecordingURL":"http://127.0.0.1:18080/v1/Account/MACONFORMANCE0000000/Recording/01a20a58-9acc-7520-a2b0-e0db2e672e98.mp3","RecordingResourceURL":"http://127.0.0.1:18080/v1/Account/MACONFORMANCE0000000/Recording/01a20a58-9acc-7520-a2b0-e0db2e672e98/","RecordingFormat":"mp3","RecordingDuration":6,"RecordingStartTime":"2026-11-23 21:38:28+00:00","RecordingEndTime":"2026-11-23 21:38:34+00:00","SequenceNumber":2}', 1795469914681, 1795469914681, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "outbox" ("id", "event_id", "account", "resource", "type", "payload", "created_at", "delivered_at", "abandoned_at", "attempts", "next_attempt_at", "callback", "claimed_at", "main_account", "written_in", "lane") VALUES (16, '01a20a58-b241-7ae5-ae60-3020683709c0', 'MACONFORMANCE0000000', 'multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'multiparty-call.ended', '{"EventName":"MPCEnd","EventTimestamp":"2026-11-23 21:38:34+00:00","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041","MPCName":"released","MPCDuration":6,"MPCBilledDuration":120,"MPCBilledAmount":"0.00000"}', 1795469914690, 1795469914690, NULL, 0, NULL, NULL, NULL, 'MACONFORMANCE0000000', 0, NULL);
INSERT INTO "last_alive" ("id", "alive_at", "counted_at") VALUES (1, 1795469913590, 1795469913590);
INSERT INTO "accounts" ("position", "auth_id", "parent", "name", "city", "address", "timezone", "enabled", "token_sealed", "token_hash", "subaccounts", "created_at", "modified_at") VALUES (1, 'MACONFORMANCE0000000', NULL, 'Main account', '', '', 'UTC', 1, 'AZBxBs/Nd2uUP3QuRx+oboab+7SLkGzgjcWpqWj8vdxoLW8T5+3EoJZXwOSDaFqlieD3BIh2C2k5XHcKrxbHy6oxjWE5', 'ed6e65f36c85c83d5a0051332c6be9a9ae8a7e6c56d98d405c1a0f894110e1dc', 1, 1795469905674, NULL);
INSERT INTO "accounts" ("position", "auth_id", "parent", "name", "city", "address", "timezone", "enabled", "token_sealed", "token_hash", "subaccounts", "created_at", "modified_at") VALUES (2, 'SA4XA6XRDUNJ24CZX0LS', 'MACONFORMANCE0000000', 'released', '', '', 'UTC', 1, 'AbUxH3I8YK7v1bOaGjdhcT5VC3OKINpm4G4AaJ3lwqRFHuTgo0w4yv7ypDM/Gn3G7hWYzffKTksDykasOjKvDynVjVJk', 'd838b1d79ab0aa33500126c935e69154b9b348303970953eb4165107a6587029', 0, 1795469908541, NULL);
INSERT INTO "applications" ("position", "app_id", "account", "main_account", "app_name", "answer_url", "answer_method", "hangup_url", "hangup_method", "fallback_answer_url", "fallback_method", "message_url", "message_method", "default_number_app", "default_endpoint_app", "public_uri", "log_incoming_messages", "created_at") VALUES (1, '17078180173340162', 'MACONFORMANCE0000000', 'MACONFORMANCE0000000', 'released', 'http://127.0.0.1:9/answer', 'POST', '', 'POST', '', 'POST', '', 'POST', 0, 0, 0, 1, 1795469908506);
INSERT INTO "application_totals" ("account", "total") VALUES ('MACONFORMANCE0000000', 1);
INSERT INTO "sip_endpoints" ("position", "endpoint_id", "account", "main_account", "username", "base_name", "stamp", "alias", "application_id", "password_md5_sealed", "ha1_md5", "ha1_sha256", "created_at") VALUES (1, '78412534431515', 'MACONFORMANCE0000000', 'MACONFORMANCE0000000', 'alice261123213828', 'alice', 1795469908, 'alice', NULL, 'ATw+tAuuaby8P+NF4DImoj4NJ49eJD1YQLPe35WWzP5UIMf7zznbE2p/eksO70EBFCMFg4TS8ygGDvJ+Lw==', '873658ce1f09ced518f5fb77e0651eae', 'fbc8bbcce952853c8d944536648d3a22bed351b5b93cf095acf6ce8af5563e54', 1795469908472);
INSERT INTO "sip_endpoint_totals" ("account", "total") VALUES ('MACONFORMANCE0000000', 1);
INSERT INTO "recordings" ("recording_id", "account", "main_account", "owner_kind", "owner_id", "recording_type", "call_uuid", "mpc_uuid", "mpc_name", "from_number", "to_number", "format", "max_seconds", "callback", "status", "created_at", "started_at", "ended_at", "closed_at", "end_reason", "duration_ms", "bytes", "failure", "is_discarded", "announcement", "sequence", "member_id", "track_type", "channels") VALUES ('01a20a58-9acc-7520-a2b0-e0db2e672e98', 'MACONFORMANCE0000000', 'MACONFORMANCE0000000', 'multiparty-call', '01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'mpc', '', '01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'released', '', '', 'mp3', 14400, NULL, 'completed', 1795469908688, 1795469908702, 1795469914645, 1795469914680, 'stopped', 5960, 24480, NULL, 0, '{"of":"MPCRecording","callback":null,"fields":{"MPCName":"released","MPCUUID":"01a20a58-9a6d-7675-bfa1-de5ef67e3041"},"resource":"multiparty-call/01a20a58-9a6d-7675-bfa1-de5ef67e3041"}', 2, NULL, 'mix', NULL);
INSERT INTO "multiparty_calls" ("mpc_uuid", "account", "main_account", "friendly_name", "status", "created_at", "started_at", "ended_at", "termination_code", "billed_seconds", "max_participants", "max_duration_seconds", "stay_alone", "record_min_member_count", "status_callback_url", "status_callback_method", "status_callback_events", "recording_callback_url", "recording_callback_method", "recording", "is_end_owed", "billed_units") VALUES ('01a20a58-9a6d-7675-bfa1-de5ef67e3041', 'MACONFORMANCE0000000', 'MACONFORMANCE0000000', 'released', 'ended', 1795469908589, 1795469908678, 1795469914640, 3000, 120, 10, 14400, 0, 1, NULL, NULL, NULL, NULL, NULL, 'not-recording', 0, 0);
INSERT INTO "multiparty_participants" ("member_id", "mpc_uuid", "call_uuid", "request_uuid", "role", "from_address", "to_address", "caller_name", "phase", "added_at", "joined_at", "exited_at", "exit_cause", "coach_mode", "mute", "hold", "starts_on_enter", "ends_on_exit", "enter_sound", "exit_sound", "call_status_callback_url", "call_status_callback_method", "rate_per_minute", "rate_initial_seconds", "rate_increment_seconds", "billed_seconds", "billed_units", "status_callback_url", "status_callback_method", "status_callback_events", "has_started") VALUES (1, '01a20a58-9a6d-7675-bfa1-de5ef67e3041', '01a20a58-9a63-7e96-b2df-77898f9befec', '01a20a58-9a63-7e96-b2df-77898f9befec', 'agent', '+12025550000', '+12025550101', '+12025550000', 'exited', 1795469908589, 1795469908678, 1795469914640, 'Multiparty Call Ended', 0, 0, 0, 1, 0, 'beep:1', 'beep:2', NULL, NULL, 0, 60, 60, 60, 0, NULL, NULL, NULL, 1);
INSERT INTO "multiparty_participants" ("member_id", "mpc_uuid", "call_uuid", "request_uuid", "role", "from_address", "to_address", "caller_name", "phase", "added_at", "joined_at", "exited_at", "exit_cause", "coach_mode", "mute", "hold", "starts_on_enter", "ends_on_exit", "enter_sound", "exit_sound", "call_status_callback_url", "call_status_callback_method", "rate_per_minute", "rate_initial_seconds", "rate_increment_seconds", "billed_seconds", "billed_units", "status_callback_url", "status_callback_method", "status_callback_events", "has_started") VALUES (2, '01a20a58-9a6d-7675-bfa1-de5ef67e3041', '01a20a58-a646-7bab-b983-f830301a4b12', '01a20a58-a646-7bab-b983-f830301a4b12', 'customer', '+12025550000', '+12025550100', '+12025550000', 'exited', 1795469911622, 1795469911640, 1795469914640, 'Multiparty Call Ended', 0, 0, 0, 1, 0, 'beep:1', 'beep:2', NULL, NULL, 0, 60, 60, 60, 0, NULL, NULL, NULL, 0);
INSERT INTO "multiparty_member_ids" ("only_row", "last_reserved") VALUES (1, 20);
INSERT INTO "multiparty_hearing" ("mpc_uuid", "listener", "speaker", "is_coach", "from_at", "to_at") VALUES ('01a20a58-9a6d-7675-bfa1-de5ef67e3041', 1, 2, 0, 1795469911640, 1795469914640);
INSERT INTO "multiparty_hearing" ("mpc_uuid", "listener", "speaker", "is_coach", "from_at", "to_at") VALUES ('01a20a58-9a6d-7675-bfa1-de5ef67e3041', 2, 1, 0, 1795469911640, 1795469914640);
INSERT INTO "calls" ("call_uuid", "account", "direction", "from_number", "to_number", "caller_name", "phase", "initiated_at", "answered_at", "ended_at", "hangup_code", "hangup_name", "hangup_source", "main_account", "request_uuid", "parent_call_uuid", "parent_request_uuid", "source_ip", "callbacks", "rate_per_minute", "rate_initial_seconds", "rate_increment_seconds", "bill_seconds", "billed_seconds", "total_amount", "trunk_id", "trunk_account", "trunk_main_account", "quality", "hangup_reason", "time_limit_seconds") VALUES ('01a20a58-9a63-7e96-b2df-77898f9befec', 'MACONFORMANCE0000000', 'outbound', '+12025550000', '+12025550101', '+12025550000', 'ended', 1795469908605, 1795469908667, 1795469914660, 4020, 'Multiparty Call Ended', 'API Request', 'MACONFORMANCE0000000', '01a20a58-9a63-7e96-b2df-77898f9befec', NULL, '01a20a58-9a63-7e96-b2df-77898f9befec', NULL, NULL, 0, 60, 60, 6, 60, 0, NULL, NULL, NULL, '{"codec":"PCMU","suite":null,"packetsReceived":298,"packetsLost":0,"packetsSent":300,"jitterMs":0,"framesConcealed":0,"roundTripMs":2,"remoteLossPercent":0,"mos":4.4}', NULL, 14400);
INSERT INTO "calls" ("call_uuid", "account", "direction", "from_number", "to_number", "caller_name", "phase", "initiated_at", "answered_at", "ended_at", "hangup_code", "hangup_name", "hangup_source", "main_account", "request_uuid", "parent_call_uuid", "parent_request_uuid", "source_ip", "callbacks", "rate_per_minute", "rate_initial_seconds", "rate_increment_seconds", "bill_seconds", "billed_seconds", "total_amount", "trunk_id", "trunk_account", "trunk_main_account", "quality", "hangup_reason", "time_limit_seconds") VALUES ('01a20a58-a646-7bab-b983-f830301a4b12', 'MACONFORMANCE0000000', 'outbound', '+12025550000', '+12025550100', '+12025550000', 'ended', 1795469911624, 1795469911638, 1795469914660, 4020, 'Multiparty Call Ended', 'API Request', 'MACONFORMANCE0000000', '01a20a58-a646-7bab-b983-f830301a4b12', NULL, '01a20a58-a646-7bab-b983-f830301a4b12', NULL, NULL, 0, 60, 60, 3, 60, 0, NULL, NULL, NULL, '{"codec":"PCMU","suite":null,"packetsReceived":150,"packetsLost":0,"packetsSent":151,"jitterMs":0,"framesConcealed":0,"roundTripMs":null,"remoteLossPercent":null,"mos":4.4}', NULL, 14400);
INSERT INTO "call_totals" ("account", "slot", "total") VALUES ('MACONFORMANCE0000000', 3, 1);
INSERT INTO "call_totals" ("account", "slot", "total") VALUES ('MACONFORMANCE0000000', 2, 1);
CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX outbox_claimed ON outbox (claimed_at) WHERE claimed_at IS NOT NULL;
CREATE INDEX outbox_unfinished ON outbox (resource, id) WHERE delivered_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX outbox_in_lane ON outbox (lane, id) WHERE lane IS NOT NULL;
CREATE INDEX outbox_of_main_account ON outbox (main_account, written_in, id);
CREATE INDEX outbox_of_subaccount ON outbox (account, written_in, id) WHERE account <> main_account;
CREATE INDEX accounts_by_parent ON accounts (parent, position);
CREATE INDEX applications_by_account ON applications (account, position);
CREATE INDEX applications_by_main_account ON applications (main_account, position);
CREATE INDEX applications_by_owner ON applications (main_account, account, position);
CREATE INDEX applications_by_account_and_name ON applications (account, app_name);
CREATE INDEX applications_by_main_account_and_name ON applications (main_account, app_name);
CREATE UNIQUE INDEX applications_default_number ON applications (account) WHERE default_number_app = 1;
CREATE UNIQUE INDEX applications_default_endpoint ON applications (account) WHERE default_endpoint_app = 1;
CREATE INDEX sip_endpoints_by_account ON sip_endpoints (account, position);
CREATE INDEX sip_endpoints_by_main_account ON sip_endpoints (main_account, position);
CREATE UNIQUE INDEX sip_endpoints_by_base_name ON sip_endpoints (base_name, stamp);
CREATE INDEX sip_endpoints_by_application ON sip_endpoints (application_id) WHERE application_id IS NOT NULL;
CREATE INDEX sip_bindings_by_flow ON sip_bindings (flow);
CREATE INDEX sip_bindings_by_expiry ON sip_bindings (expires_at);
CREATE INDEX trunk_credentials_by_account ON trunk_credentials (account, position);
CREATE INDEX trunk_credentials_by_main_account ON trunk_credentials (main_account, position);
CREATE INDEX trunk_address_lists_by_account ON trunk_address_lists (account, position);
CREATE INDEX trunk_address_lists_by_main_account ON trunk_address_lists (main_account, position);
CREATE INDEX trunk_origination_uris_by_account ON trunk_origination_uris (account, position);
CREATE INDEX trunk_origination_uris_by_main_account ON trunk_origination_uris (main_account, position);
CREATE INDEX trunks_by_account ON trunks (account, position);
CREATE INDEX trunks_by_main_account ON trunks (main_account, position);
CREATE INDEX trunks_by_account_and_trunk_direction ON trunks (account, trunk_direction, position);
CREATE INDEX trunks_by_main_account_and_trunk_direction ON trunks (main_account, trunk_direction, position);
CREATE INDEX trunks_by_account_and_trunk_status ON trunks (account, trunk_status, position);
CREATE INDEX trunks_by_main_account_and_trunk_status ON trunks (main_account, trunk_status, position);
CREATE INDEX trunks_by_account_and_secure ON trunks (account, secure, position);
CREATE INDEX trunks_by_main_account_and_secure ON trunks (main_account, secure, position);
CREATE INDEX trunks_by_ipacl_uuid ON trunks (ipacl_uuid, position) WHERE ipacl_uuid IS NOT NULL;
CREATE INDEX trunks_by_credential_uuid ON trunks (credential_uuid, position) WHERE credential_uuid IS NOT NULL;
CREATE INDEX trunks_by_primary_uri_uuid ON trunks (primary_uri_uuid, position) WHERE primary_uri_uuid IS NOT NULL;
CREATE INDEX trunks_by_fallback_uri_uuid ON trunks (fallback_uri_uuid, position) WHERE fallback_uri_uuid IS NOT NULL;
CREATE INDEX trunks_by_lost_credential_uuid ON trunks (lost_credential_uuid, position)
  WHERE lost_credential_uuid IS NOT NULL;
CREATE INDEX numbers_by_account ON numbers (account, position);
CREATE INDEX numbers_by_main_account ON numbers (main_account, position);
CREATE INDEX numbers_by_trunk ON numbers (trunk_id, position) WHERE trunk_id IS NOT NULL;
CREATE INDEX numbers_by_application ON numbers (app_id, position) WHERE app_id IS NOT NULL;
CREATE INDEX recordings_by_main_account ON recordings (main_account, created_at, recording_id);
CREATE INDEX recordings_by_account ON recordings (account, created_at, recording_id);
CREATE INDEX recordings_live ON recordings (recording_id) WHERE closed_at IS NULL;
CREATE INDEX recordings_by_close ON recordings (closed_at);
CREATE INDEX recording_files_to_keep_next ON recording_files_to_keep (next_at, file_name);
CREATE INDEX recordings_by_call ON recordings (main_account, call_uuid, created_at, recording_id);
CREATE INDEX recordings_by_mpc ON recordings (main_account, mpc_uuid, created_at, recording_id);
CREATE INDEX recordings_by_mpc_name ON recordings (main_account, mpc_name, created_at, recording_id);
CREATE INDEX recordings_by_from ON recordings (main_account, from_number, created_at, recording_id);
CREATE INDEX recordings_by_to ON recordings (main_account, to_number, created_at, recording_id);
CREATE INDEX recordings_by_age ON recordings (main_account, closed_at);
CREATE INDEX recordings_by_age_of_account ON recordings (account, closed_at);
CREATE UNIQUE INDEX multiparty_calls_live ON multiparty_calls (account, friendly_name) WHERE ended_at IS NULL;
CREATE INDEX multiparty_calls_by_main_account ON multiparty_calls (main_account, created_at, mpc_uuid);
CREATE INDEX multiparty_calls_by_account ON multiparty_calls (account, created_at, mpc_uuid);
CREATE INDEX multiparty_calls_by_name ON multiparty_calls (main_account, friendly_name, created_at);
CREATE INDEX multiparty_calls_by_end ON multiparty_calls (main_account, ended_at);
CREATE INDEX multiparty_participants_by_call ON multiparty_participants (mpc_uuid, member_id);
CREATE INDEX multiparty_calls_owed ON multiparty_calls (mpc_uuid) WHERE is_end_owed = 1;
CREATE INDEX multiparty_hearing_by_call ON multiparty_hearing (mpc_uuid, from_at, listener, speaker);
CREATE INDEX multiparty_hearing_open ON multiparty_hearing (mpc_uuid, listener) WHERE to_at IS NULL;
CREATE INDEX multiparty_calls_ended ON multiparty_calls (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_live ON calls (account, call_uuid) WHERE ended_at IS NULL;
CREATE INDEX calls_live_by_main ON calls (main_account, call_uuid) WHERE ended_at IS NULL;
CREATE INDEX calls_live_by_request ON calls (request_uuid) WHERE ended_at IS NULL;
CREATE INDEX calls_by_main ON calls (main_account, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_from ON calls (main_account, from_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_to ON calls (main_account, to_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_cause ON calls (main_account, hangup_code, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_parent ON calls (main_account, parent_call_uuid, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND parent_call_uuid IS NOT NULL;
CREATE INDEX calls_of_sub ON calls (account, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_from ON calls (account, from_number, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_to ON calls (account, to_number, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_cause ON calls (account, hangup_code, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_by_source ON calls (main_account, hangup_source, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_by_direction ON calls (main_account, direction, ended_at, call_uuid) WHERE ended_at IS NOT NULL;
CREATE INDEX calls_of_sub_by_source ON calls (account, hangup_source, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX calls_of_sub_by_direction ON calls (account, direction, ended_at, call_uuid)
  WHERE ended_at IS NOT NULL AND account <> main_account;
CREATE INDEX trunk_calls_of_main ON calls (trunk_main_account, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_main_by_trunk_id ON calls (trunk_main_account, trunk_id, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_main_by_from_number ON calls (trunk_main_account, from_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_main_by_to_number ON calls (trunk_main_account, to_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_main_by_hangup_code ON calls (trunk_main_account, hangup_code, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_main_by_hangup_source ON calls (trunk_main_account, hangup_source, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_main_by_direction ON calls (trunk_main_account, direction, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL;
CREATE INDEX trunk_calls_of_sub ON calls (trunk_account, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX trunk_calls_of_sub_by_trunk_id ON calls (trunk_account, trunk_id, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX trunk_calls_of_sub_by_from_number ON calls (trunk_account, from_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX trunk_calls_of_sub_by_to_number ON calls (trunk_account, to_number, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX trunk_calls_of_sub_by_hangup_code ON calls (trunk_account, hangup_code, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX trunk_calls_of_sub_by_hangup_source ON calls (trunk_account, hangup_source, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX trunk_calls_of_sub_by_direction ON calls (trunk_account, direction, ended_at, call_uuid) WHERE ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account;
CREATE INDEX calls_by_end ON calls (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX streams_by_call ON streams (call_uuid, created_at, stream_id);
CREATE INDEX streams_by_mpc ON streams (mpc_uuid, created_at, stream_id);
CREATE INDEX streams_live ON streams (stream_id) WHERE ended_at IS NULL;
CREATE INDEX streams_of_subaccounts ON streams (account) WHERE account <> main_account;
CREATE INDEX carrier_calls_by_settled_at ON carrier_calls (settled_at);
CREATE UNIQUE INDEX verify_sessions_alive ON verify_sessions (account, app_uuid, recipient) WHERE status = 'in-progress';
CREATE INDEX verify_sessions_by_main_account ON verify_sessions (main_account, created_at, session_uuid);
CREATE INDEX verify_sessions_by_account ON verify_sessions (account, created_at, session_uuid);
CREATE INDEX verify_sessions_by_recipient ON verify_sessions (main_account, recipient, created_at);
CREATE INDEX verify_sessions_by_app ON verify_sessions (main_account, app_uuid, created_at);
CREATE INDEX verify_sessions_by_status ON verify_sessions (main_account, status, created_at);
CREATE INDEX verify_sessions_by_country ON verify_sessions (main_account, country, created_at);
CREATE INDEX verify_sessions_by_alias ON verify_sessions (main_account, alias, created_at);
CREATE INDEX verify_sessions_by_brand ON verify_sessions (main_account, brand_name, created_at) WHERE brand_name IS NOT NULL;
CREATE INDEX verify_sessions_by_hash ON verify_sessions (main_account, app_hash, created_at) WHERE app_hash IS NOT NULL;
CREATE INDEX verify_sessions_open ON verify_sessions (session_uuid) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX verify_attempts_by_session ON verify_attempts (session_uuid, sequence);
CREATE INDEX verify_attempts_by_message ON verify_attempts (message, created_at) WHERE message IS NOT NULL;
CREATE UNIQUE INDEX verify_apps_default ON verify_apps (account) WHERE is_default = 1;
CREATE INDEX verify_apps_by_account ON verify_apps (account, created_at, app_uuid);
CREATE INDEX verify_apps_by_main_account ON verify_apps (main_account, created_at, app_uuid);
CREATE INDEX verify_counters_by_start ON verify_counters (window_start);
CREATE INDEX verify_sessions_closed ON verify_sessions (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX sandbox_messages_by_main_account ON sandbox_messages (main_account, created_at, message_uuid);
CREATE INDEX sandbox_messages_by_account ON sandbox_messages (account, created_at, message_uuid);
CREATE INDEX sandbox_messages_by_recipient ON sandbox_messages (main_account, recipient, created_at);
CREATE INDEX sandbox_messages_by_time ON sandbox_messages (created_at);
CREATE INDEX sandbox_messages_due ON sandbox_messages (receipt_at) WHERE receipt_at IS NOT NULL;
CREATE INDEX callbacks_by_main_account ON callbacks (main_account, created_at);
CREATE INDEX callbacks_by_resource ON callbacks (resource, created_at);
CREATE INDEX callbacks_by_age ON callbacks (created_at);
CREATE INDEX callbacks_of_subaccount ON callbacks (account, created_at) WHERE account <> main_account;
PRAGMA user_version = 0;
INSERT OR REPLACE INTO sqlite_sequence (name, seq) VALUES ('accounts', 2);
INSERT OR REPLACE INTO sqlite_sequence (name, seq) VALUES ('sip_endpoints', 1);
INSERT OR REPLACE INTO sqlite_sequence (name, seq) VALUES ('applications', 1);
INSERT OR REPLACE INTO sqlite_sequence (name, seq) VALUES ('outbox', 16);
