CREATE TABLE "chat_tries" (
	"chat_room_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"session_hash" "bytea" NOT NULL,
	"wrong_tries" integer DEFAULT 0 NOT NULL,
	"waits_until" timestamp (3) with time zone,
	CONSTRAINT "chat_tries_chat_room_id_user_id_session_hash_pk" PRIMARY KEY("chat_room_id","user_id","session_hash")
);
--> statement-breakpoint
ALTER TABLE "chat_locks" ADD COLUMN "confirmed_wrong_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_locks" ADD COLUMN "confirmed_waits_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chat_tries" ADD CONSTRAINT "chat_tries_session_hash_sessions_token_hash_fk" FOREIGN KEY ("session_hash") REFERENCES "public"."sessions"("token_hash") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_tries" ADD CONSTRAINT "chat_tries_lock" FOREIGN KEY ("chat_room_id","user_id") REFERENCES "public"."chat_locks"("chat_room_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chat_tries_session" ON "chat_tries" USING btree ("session_hash");--> statement-breakpoint
-- Sessions that have a chat open keep tries of their own; what everybody together has used up stays.
INSERT INTO "chat_tries" ("chat_room_id", "user_id", "session_hash") SELECT "chat_room_id", "user_id", "session_hash" FROM "open_chats";
