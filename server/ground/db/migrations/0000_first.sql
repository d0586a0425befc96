CREATE TABLE "retired_names" (
	"name_hash" "bytea" PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"display_name" text NOT NULL,
	"password_hash" "bytea" NOT NULL,
	"password_salt" "bytea" NOT NULL,
	"onion_address" text,
	"avatar" text,
	"public_key" "bytea",
	"has_biometrics" boolean DEFAULT false NOT NULL,
	"biometric_enabled" boolean DEFAULT false NOT NULL,
	"email" text,
	"profile_image_url" text,
	"is_admin" boolean DEFAULT false NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"deactivated_at" timestamp (3) with time zone,
	"deactivated_by" uuid,
	"subscription_tier" text DEFAULT 'free' NOT NULL,
	"subscription_status" text DEFAULT 'active' NOT NULL,
	"subscription_start_date" timestamp (3) with time zone,
	"subscription_end_date" timestamp (3) with time zone,
	"monthly_messages_count" integer DEFAULT 0 NOT NULL,
	"usage_reset_date" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"kit_hash" "bytea",
	"deleted_at" timestamp (3) with time zone,
	"profile_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"shows_presence" boolean DEFAULT true NOT NULL,
	"shows_last_seen" boolean DEFAULT true NOT NULL,
	"shows_typing" boolean DEFAULT true NOT NULL,
	"shows_receipts" boolean DEFAULT true NOT NULL,
	"photo_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"subscription_package_id" uuid,
	"preferred_crypto_currency" text DEFAULT 'bitcoin' NOT NULL,
	"crypto_wallet_address" text,
	"master_account_id" uuid,
	"is_master_invitee" boolean DEFAULT false NOT NULL,
	"invited_by_master" uuid,
	"invitee_joined_at" timestamp (3) with time zone,
	"shows_family_online" boolean DEFAULT false NOT NULL,
	CONSTRAINT "users_onion_address_unique" UNIQUE("onion_address")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"actor_id" uuid,
	"act" text NOT NULL,
	"subject_id" uuid,
	"target" text,
	"before" text NOT NULL,
	"after" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archive_pages" (
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"version" integer NOT NULL,
	"history_key_id" integer,
	"sealed" text NOT NULL,
	CONSTRAINT "archive_pages_chat_room_id_user_id_number_pk" PRIMARY KEY("chat_room_id","user_id","number")
);
--> statement-breakpoint
CREATE TABLE "chat_locks" (
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"salt" "bytea" NOT NULL,
	"verifier" "bytea" NOT NULL,
	"lock_secret" "bytea" NOT NULL,
	"wrong_tries" integer DEFAULT 0 NOT NULL,
	"waits_until" timestamp (3) with time zone,
	CONSTRAINT "chat_locks_chat_room_id_user_id_pk" PRIMARY KEY("chat_room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "open_chats" (
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"session_hash" "bytea" NOT NULL,
	"verified_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "open_chats_chat_room_id_user_id_session_hash_pk" PRIMARY KEY("chat_room_id","user_id","session_hash")
);
--> statement-breakpoint
CREATE TABLE "contact_code_uses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"qr_token" text NOT NULL,
	"proof" "bytea",
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "contact_code_uses_pair" UNIQUE("owner_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "contact_qr_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"qr_token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"usage_count" integer DEFAULT 0 NOT NULL,
	"max_usage" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "contact_qr_codes_token" UNIQUE("qr_token")
);
--> statement-breakpoint
CREATE TABLE "crypto_arrivals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"chain" text NOT NULL,
	"reference" text NOT NULL,
	"index" integer NOT NULL,
	"asset" text NOT NULL,
	"units" text NOT NULL,
	"height" integer,
	"block_hash" text,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"is_in_time" boolean NOT NULL,
	"is_gone" boolean DEFAULT false NOT NULL,
	"is_credited" boolean DEFAULT false NOT NULL,
	CONSTRAINT "crypto_arrivals_once" UNIQUE("chain","reference","index")
);
--> statement-breakpoint
CREATE TABLE "crypto_indexes" (
	"chain" text PRIMARY KEY NOT NULL,
	"next_index" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crypto_payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"package_id" uuid,
	"tier" text NOT NULL,
	"billing_period" text NOT NULL,
	"currency" text NOT NULL,
	"amount" text NOT NULL,
	"usd_cents" bigint NOT NULL,
	"rate" text NOT NULL,
	"wallet_address" text,
	"payment_address" text NOT NULL,
	"received" text DEFAULT '0' NOT NULL,
	"transaction_hash" text,
	"block_confirmations" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"decided" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"scanned_height" integer NOT NULL,
	"native_units" text DEFAULT '0' NOT NULL,
	"looks" integer DEFAULT 0 NOT NULL,
	"looked_at" timestamp (3) with time zone,
	"next_look_at" timestamp (3) with time zone,
	"refund_transaction" text,
	"named_transaction" text,
	"named_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "crypto_reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"about" text NOT NULL,
	"asset" text NOT NULL,
	"units" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"outcome" text,
	"resolved_at" timestamp (3) with time zone,
	"resolved_by" text,
	"refund_transaction" text,
	CONSTRAINT "crypto_reviews_once" UNIQUE("payment_id","reason","about")
);
--> statement-breakpoint
CREATE TABLE "contacts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"contact_user_id" uuid NOT NULL,
	"display_name" text,
	"is_blocked" boolean DEFAULT false NOT NULL,
	"state" text NOT NULL,
	"chat_room_id" text NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"state_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"seen_when_blocked" timestamp (3) with time zone,
	CONSTRAINT "contacts_pair" UNIQUE("user_id","contact_user_id")
);
--> statement-breakpoint
CREATE TABLE "list_floors" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_rooms" (
	"user_id" uuid NOT NULL,
	"chat_room_id" text NOT NULL,
	CONSTRAINT "uncounted_rooms_user_id_chat_room_id_pk" PRIMARY KEY("user_id","chat_room_id")
);
--> statement-breakpoint
CREATE TABLE "books" (
	"user_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"history_key_id" integer NOT NULL,
	"sealed" text NOT NULL,
	"device_id" text DEFAULT 'unsigned' NOT NULL,
	"signature" text,
	CONSTRAINT "books_user_id_device_id_pk" PRIMARY KEY("user_id","device_id")
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"user_id" uuid NOT NULL,
	"id" text NOT NULL,
	"unlock_secret" "bytea",
	"added_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"sign_in_hash" "bytea",
	CONSTRAINT "devices_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "history_seals" (
	"user_id" uuid NOT NULL,
	"device_id" text NOT NULL,
	"history_key_id" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "history_seals_user_id_device_id_history_key_id_pk" PRIMARY KEY("user_id","device_id","history_key_id")
);
--> statement-breakpoint
CREATE TABLE "key_packages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"device_id" text NOT NULL,
	"key_package" text NOT NULL,
	"is_last_resort" boolean NOT NULL,
	"claimed_by" uuid,
	"claimed_room" text,
	"claimed_generation" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"claimed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "keyrings" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"content" text NOT NULL,
	"signature" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "manifest_versions" (
	"user_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"content" text NOT NULL,
	"signature" text NOT NULL,
	CONSTRAINT "manifest_versions_user_id_version_pk" PRIMARY KEY("user_id","version")
);
--> statement-breakpoint
CREATE TABLE "manifests" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"content" text NOT NULL,
	"signature" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "master_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"master_user_id" uuid NOT NULL,
	"invitee_email" text,
	"invitee_username" text,
	"invitation_token" text NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	"mail_tried_at" timestamp (3) with time zone,
	"mailed_at" timestamp (3) with time zone,
	CONSTRAINT "master_invitations_invitation_token_unique" UNIQUE("invitation_token")
);
--> statement-breakpoint
CREATE TABLE "daily_figures" (
	"day" date PRIMARY KEY NOT NULL,
	"sign_ups" integer NOT NULL,
	"active" integer NOT NULL,
	"messages" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_usage" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"monthly_uploaded_bytes" bigint DEFAULT 0 NOT NULL,
	"uploaded_month" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "object_parts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"object_id" uuid NOT NULL,
	"part_number" integer NOT NULL,
	"state" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"etag" text
);
--> statement-breakpoint
CREATE TABLE "objects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"chat_room_id" text,
	"state" text NOT NULL,
	"size_bytes" bigint,
	"hash" "bytea",
	"media_type" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"message_seq" bigint,
	"upload_id" uuid
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"name" text PRIMARY KEY NOT NULL,
	"last_started_at" timestamp (3) with time zone NOT NULL,
	"last_finished_at" timestamp (3) with time zone,
	"outcome" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"place" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_entries_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"user_id" uuid NOT NULL,
	"source" text NOT NULL,
	"tier" text NOT NULL,
	"package_id" uuid,
	"billing_period" text,
	"amount_cents" bigint NOT NULL,
	"coin" text,
	"coin_units" text,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"refers_to" text,
	"reference" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ledger_entries_key_unique" UNIQUE("key"),
	CONSTRAINT "ledger_entries_amount" CHECK ("ledger_entries"."amount_cents" >= 0 and "ledger_entries"."coin_units" ~ '^[0-9]{1,78}$' is not false)
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"chat_room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"id" uuid NOT NULL,
	"sender_id" uuid NOT NULL,
	"content" text NOT NULL,
	"message_type" text NOT NULL,
	"file_path" text,
	"file_name" text,
	"file_size" bigint,
	"is_encrypted" boolean NOT NULL,
	"reply_to_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"is_silent" boolean DEFAULT false NOT NULL,
	"content_hash" "bytea",
	CONSTRAINT "messages_chat_room_id_seq_pk" PRIMARY KEY("chat_room_id","seq"),
	CONSTRAINT "messages_sender_id" UNIQUE("chat_room_id","sender_id","id")
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"user_id" uuid NOT NULL,
	"id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"host" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "passkeys_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE TABLE "used_challenges" (
	"challenge_hash" "bytea" PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "card_accounts" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"customer_id" text,
	"checkout_id" text,
	"subscription_id" text,
	"status" text,
	"tier" text,
	"package_id" uuid,
	"billing_period" text,
	"started_at" timestamp (3) with time zone,
	"period_end" timestamp (3) with time zone,
	"failed_since" timestamp (3) with time zone,
	"renews" boolean DEFAULT false NOT NULL,
	"waiting" jsonb,
	CONSTRAINT "card_accounts_customer_id_unique" UNIQUE("customer_id")
);
--> statement-breakpoint
CREATE TABLE "card_events" (
	"id" text PRIMARY KEY NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "monthly_usage" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"month" timestamp (3) with time zone NOT NULL,
	"voice_call_minutes" integer DEFAULT 0 NOT NULL,
	"video_call_minutes" integer DEFAULT 0 NOT NULL,
	"received_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sandbox_objects" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"customer" text,
	"body" jsonb NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox_objects_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1)
);
--> statement-breakpoint
CREATE TABLE "plan_rights" (
	"plan" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"can_send" boolean NOT NULL,
	"can_call" boolean NOT NULL,
	"can_share_files" boolean NOT NULL,
	"has_family" boolean NOT NULL,
	"messages_per_month" integer NOT NULL,
	"file_bytes" bigint NOT NULL,
	"tier" text,
	"storage_bytes" bigint DEFAULT -1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "premium_packages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"tier" text NOT NULL,
	"monthly_price" integer DEFAULT 0 NOT NULL,
	"yearly_price" integer DEFAULT 0 NOT NULL,
	"messages_limit" integer DEFAULT -1 NOT NULL,
	"file_storage_gb" integer DEFAULT -1 NOT NULL,
	"voice_call_minutes" integer DEFAULT -1 NOT NULL,
	"video_call_minutes" integer DEFAULT -1 NOT NULL,
	"advanced_encryption" boolean DEFAULT false NOT NULL,
	"priority_support" boolean DEFAULT false NOT NULL,
	"custom_branding" boolean DEFAULT false NOT NULL,
	"api_access" boolean DEFAULT false NOT NULL,
	"stripe_price_id_monthly" text,
	"stripe_price_id_yearly" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"display_order" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "presence" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"nodes" uuid[] NOT NULL,
	"last_seen" timestamp (3) with time zone,
	"online_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"seen_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"endpoint_hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"session_hash" "bytea" NOT NULL,
	"endpoint" text NOT NULL,
	"p256dh" "bytea" NOT NULL,
	"auth" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"told_at" timestamp (3) with time zone NOT NULL,
	"not_before" timestamp (3) with time zone,
	"quiet_until" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "quiet_hours" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"from_minute" integer NOT NULL,
	"to_minute" integer NOT NULL,
	"time_zone" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"reporter_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"reported_id" uuid NOT NULL,
	"chat_room_id" text NOT NULL,
	"category" text NOT NULL,
	"text" text NOT NULL,
	"messages" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reports_reporter_id_id_pk" PRIMARY KEY("reporter_id","id")
);
--> statement-breakpoint
CREATE TABLE "archive_keys" (
	"chat_room_id" text NOT NULL,
	"group_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"user_id" uuid NOT NULL,
	"history_key_id" integer NOT NULL,
	"sealed" text NOT NULL,
	"sealed_by" text DEFAULT 'committer' NOT NULL,
	CONSTRAINT "archive_keys_pk" PRIMARY KEY("chat_room_id","group_id","epoch","user_id","history_key_id","sealed_by")
);
--> statement-breakpoint
CREATE TABLE "chat_participants" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"is_admin" boolean DEFAULT false NOT NULL,
	"delivered_seq" bigint DEFAULT 0 NOT NULL,
	"read_seq" bigint DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"unread_count" integer DEFAULT 0 NOT NULL,
	"changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"uncounted_seq" bigint DEFAULT 0 NOT NULL,
	"received_count" integer DEFAULT 0 NOT NULL,
	"received_month" timestamp (3) with time zone,
	"muted_until" timestamp (3) with time zone,
	"own_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"cleared_seq" bigint DEFAULT 0 NOT NULL,
	"withheld" "int8multirange" DEFAULT '{}' NOT NULL,
	"shown_delivered_seq" bigint,
	"shown_read_seq" bigint,
	"read_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"is_protected" boolean DEFAULT false NOT NULL,
	CONSTRAINT "chat_participants_chat_room_id_user_id_pk" PRIMARY KEY("chat_room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "chat_rooms" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text,
	"type" text DEFAULT 'direct' NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"last_message_seq" bigint DEFAULT 0 NOT NULL,
	"last_message_at" timestamp (3) with time zone,
	"generation" integer DEFAULT 0 NOT NULL,
	"group_id" text,
	"epoch" integer DEFAULT 0 NOT NULL,
	"needs_commit" boolean DEFAULT false NOT NULL,
	"is_closed" boolean DEFAULT false NOT NULL,
	"changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"emptied_seq" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "generation_claims" (
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"device_id" text NOT NULL,
	"generation" integer NOT NULL,
	CONSTRAINT "generation_claims_chat_room_id_user_id_device_id_pk" PRIMARY KEY("chat_room_id","user_id","device_id")
);
--> statement-breakpoint
CREATE TABLE "room_commits" (
	"chat_room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"sender_id" uuid NOT NULL,
	"generation" integer NOT NULL,
	"group_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"commit" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "room_commits_chat_room_id_seq_pk" PRIMARY KEY("chat_room_id","seq"),
	CONSTRAINT "room_commits_epoch" UNIQUE("chat_room_id","group_id","epoch")
);
--> statement-breakpoint
CREATE TABLE "room_groups" (
	"chat_room_id" text PRIMARY KEY NOT NULL,
	"group_info" text NOT NULL,
	"welcome" text,
	"welcome_seq" bigint,
	"welcome_epoch" integer
);
--> statement-breakpoint
CREATE TABLE "server_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"device_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"proven_at" timestamp (3) with time zone,
	"browser" text DEFAULT '' NOT NULL,
	"system" text DEFAULT '' NOT NULL,
	"ingress" text DEFAULT 'direct' NOT NULL,
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"confirmed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sign_ins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"device_id" text,
	"browser" text NOT NULL,
	"system" text NOT NULL,
	"ingress" text NOT NULL,
	"signed_in_at" timestamp (3) with time zone NOT NULL,
	"answered_by" text[] DEFAULT '{}' NOT NULL,
	"copied_passkey" text
);
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_subscription_package_id_premium_packages_id_fk" FOREIGN KEY ("subscription_package_id") REFERENCES "public"."premium_packages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archive_pages" ADD CONSTRAINT "archive_pages_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_locks" ADD CONSTRAINT "chat_locks_member" FOREIGN KEY ("chat_room_id","user_id") REFERENCES "public"."chat_participants"("chat_room_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "open_chats" ADD CONSTRAINT "open_chats_session_hash_sessions_token_hash_fk" FOREIGN KEY ("session_hash") REFERENCES "public"."sessions"("token_hash") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "open_chats" ADD CONSTRAINT "open_chats_lock" FOREIGN KEY ("chat_room_id","user_id") REFERENCES "public"."chat_locks"("chat_room_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_code_uses" ADD CONSTRAINT "contact_code_uses_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_code_uses" ADD CONSTRAINT "contact_code_uses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_qr_codes" ADD CONSTRAINT "contact_qr_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crypto_arrivals" ADD CONSTRAINT "crypto_arrivals_payment_id_crypto_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."crypto_payments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crypto_payments" ADD CONSTRAINT "crypto_payments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crypto_reviews" ADD CONSTRAINT "crypto_reviews_payment_id_crypto_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."crypto_payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_contact_user_id_users_id_fk" FOREIGN KEY ("contact_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "list_floors" ADD CONSTRAINT "list_floors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uncounted_rooms" ADD CONSTRAINT "uncounted_rooms_member_fk" FOREIGN KEY ("chat_room_id","user_id") REFERENCES "public"."chat_participants"("chat_room_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "books" ADD CONSTRAINT "books_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "history_seals" ADD CONSTRAINT "history_seals_user_id_device_id_devices_user_id_id_fk" FOREIGN KEY ("user_id","device_id") REFERENCES "public"."devices"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_packages" ADD CONSTRAINT "key_packages_user_id_device_id_devices_user_id_id_fk" FOREIGN KEY ("user_id","device_id") REFERENCES "public"."devices"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keyrings" ADD CONSTRAINT "keyrings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "manifest_versions" ADD CONSTRAINT "manifest_versions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "manifests" ADD CONSTRAINT "manifests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "master_invitations" ADD CONSTRAINT "master_invitations_master_user_id_users_id_fk" FOREIGN KEY ("master_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_usage" ADD CONSTRAINT "file_usage_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "object_parts" ADD CONSTRAINT "object_parts_object_id_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."objects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "objects" ADD CONSTRAINT "objects_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "objects" ADD CONSTRAINT "objects_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_package_id_premium_packages_id_fk" FOREIGN KEY ("package_id") REFERENCES "public"."premium_packages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD CONSTRAINT "card_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD CONSTRAINT "card_accounts_package_id_premium_packages_id_fk" FOREIGN KEY ("package_id") REFERENCES "public"."premium_packages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "monthly_usage" ADD CONSTRAINT "monthly_usage_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "presence" ADD CONSTRAINT "presence_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_session_hash_sessions_token_hash_fk" FOREIGN KEY ("session_hash") REFERENCES "public"."sessions"("token_hash") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiet_hours" ADD CONSTRAINT "quiet_hours_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_users_id_fk" FOREIGN KEY ("reporter_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reported_id_users_id_fk" FOREIGN KEY ("reported_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archive_keys" ADD CONSTRAINT "archive_keys_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD CONSTRAINT "chat_participants_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD CONSTRAINT "chat_participants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_claims" ADD CONSTRAINT "generation_claims_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "generation_claims" ADD CONSTRAINT "generation_claims_user_id_device_id_devices_user_id_id_fk" FOREIGN KEY ("user_id","device_id") REFERENCES "public"."devices"("user_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_commits" ADD CONSTRAINT "room_commits_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_groups" ADD CONSTRAINT "room_groups_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_ins" ADD CONSTRAINT "sign_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "users_username_lower" ON "users" USING btree (lower("username"));--> statement-breakpoint
CREATE INDEX "users_subscription_end" ON "users" USING btree ("subscription_end_date");--> statement-breakpoint
CREATE INDEX "users_master" ON "users" USING btree ("master_account_id");--> statement-breakpoint
CREATE INDEX "users_joined" ON "users" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("subject_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_act" ON "audit_log" USING btree ("act","seq");--> statement-breakpoint
CREATE INDEX "open_chats_session" ON "open_chats" USING btree ("session_hash");--> statement-breakpoint
CREATE INDEX "contact_code_uses_user" ON "contact_code_uses" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "contact_code_uses_age" ON "contact_code_uses" USING btree ("used_at");--> statement-breakpoint
CREATE UNIQUE INDEX "contact_qr_codes_active" ON "contact_qr_codes" USING btree ("user_id") WHERE "contact_qr_codes"."is_active";--> statement-breakpoint
CREATE INDEX "contact_qr_codes_user" ON "contact_qr_codes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "contact_qr_codes_age" ON "contact_qr_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "crypto_arrivals_payment" ON "crypto_arrivals" USING btree ("payment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "crypto_payments_address" ON "crypto_payments" USING btree (lower("payment_address"));--> statement-breakpoint
CREATE INDEX "crypto_payments_user" ON "crypto_payments" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "crypto_payments_next_look" ON "crypto_payments" USING btree ("next_look_at");--> statement-breakpoint
CREATE INDEX "crypto_reviews_open" ON "crypto_reviews" USING btree ("created_at") WHERE "crypto_reviews"."outcome" is null;--> statement-breakpoint
CREATE INDEX "contacts_of" ON "contacts" USING btree ("contact_user_id");--> statement-breakpoint
CREATE INDEX "contacts_room" ON "contacts" USING btree ("chat_room_id");--> statement-breakpoint
CREATE INDEX "contacts_requests" ON "contacts" USING btree ("added_at") WHERE "contacts"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "key_packages_free" ON "key_packages" USING btree ("user_id","device_id","is_last_resort") WHERE "key_packages"."claimed_by" is null;--> statement-breakpoint
CREATE INDEX "key_packages_unclaimed" ON "key_packages" USING btree ("created_at") WHERE "key_packages"."claimed_by" is null and not "key_packages"."is_last_resort";--> statement-breakpoint
CREATE INDEX "key_packages_claims" ON "key_packages" USING btree ("claimed_at") WHERE "key_packages"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX "key_packages_claimed" ON "key_packages" USING btree ("claimed_room","claimed_generation","claimed_by");--> statement-breakpoint
CREATE INDEX "master_invitations_master" ON "master_invitations" USING btree ("master_user_id","created_at");--> statement-breakpoint
CREATE INDEX "object_parts_object" ON "object_parts" USING btree ("object_id","part_number");--> statement-breakpoint
CREATE INDEX "objects_owner" ON "objects" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "objects_room" ON "objects" USING btree ("chat_room_id","message_seq");--> statement-breakpoint
CREATE INDEX "objects_state" ON "objects" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "ledger_entries_user" ON "ledger_entries" USING btree ("user_id","place");--> statement-breakpoint
CREATE INDEX "ledger_entries_refers" ON "ledger_entries" USING btree ("refers_to");--> statement-breakpoint
CREATE INDEX "ledger_entries_reference" ON "ledger_entries" USING btree ("reference");--> statement-breakpoint
CREATE INDEX "ledger_entries_ends" ON "ledger_entries" USING btree ("ends_at") WHERE "ledger_entries"."kind" = 'payment';--> statement-breakpoint
CREATE INDEX "ledger_entries_money" ON "ledger_entries" USING btree ("created_at") WHERE "ledger_entries"."kind" in ('payment', 'refund');--> statement-breakpoint
CREATE INDEX "messages_day" ON "messages" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "used_challenges_age" ON "used_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "card_events_received" ON "card_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "sandbox_objects_customer" ON "sandbox_objects" USING btree ("customer","kind");--> statement-breakpoint
CREATE INDEX "presence_online" ON "presence" USING btree ("user_id") WHERE "presence"."nodes" <> '{}';--> statement-breakpoint
CREATE INDEX "push_subscriptions_user" ON "push_subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "push_subscriptions_session" ON "push_subscriptions" USING btree ("session_hash");--> statement-breakpoint
CREATE INDEX "reports_age" ON "reports" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "chat_participants_user" ON "chat_participants" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "chat_participants_cleared" ON "chat_participants" USING btree ("chat_room_id") WHERE "chat_participants"."cleared_seq" > 0;--> statement-breakpoint
CREATE INDEX "generation_claims_device" ON "generation_claims" USING btree ("user_id","device_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_ins_user" ON "sign_ins" USING btree ("user_id","signed_in_at");--> statement-breakpoint
CREATE INDEX "sign_ins_age" ON "sign_ins" USING btree ("signed_in_at");
--> statement-breakpoint
-- The package that a new server sells.
INSERT INTO "premium_packages" ("id", "name", "description", "tier", "monthly_price", "yearly_price", "advanced_encryption", "priority_support", "created_at", "updated_at")
VALUES ('5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01', 'Premium', 'Unlimited messages, calls and files, with priority support', 'premium', 100000, 800000, true, true, now(), now());
