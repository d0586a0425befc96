-- Nothing of before changes: no row, no vault, no session. An account's inbox is written when its list is read next; a counter that it was
-- given before is refused with 410, and the page reads its list anew. Who had looked at a stranger's device list sees version 1 in the row
-- until the next look.
CREATE TABLE "shown_manifests" (
	"viewer_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "shown_manifests_viewer_id_user_id_pk" PRIMARY KEY("viewer_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"user_id" uuid NOT NULL,
	"chat_room_id" text NOT NULL,
	"number" bigint NOT NULL,
	"shown" "bytea",
	CONSTRAINT "inbox_user_id_chat_room_id_pk" PRIMARY KEY("user_id","chat_room_id")
);
--> statement-breakpoint
CREATE TABLE "inboxes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"last_number" bigint DEFAULT 0 NOT NULL,
	"floor" bigint DEFAULT 0 NOT NULL,
	"compared_to" "xid8" DEFAULT '0' NOT NULL,
	"written_by" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shown_manifests" ADD CONSTRAINT "shown_manifests_viewer_id_users_id_fk" FOREIGN KEY ("viewer_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shown_manifests" ADD CONSTRAINT "shown_manifests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inboxes" ADD CONSTRAINT "inboxes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shown_manifests_of" ON "shown_manifests" USING btree ("user_id");--> statement-breakpoint
-- A raise finds room on its row's page, and no index has what it changes: so it stays there (a HOT update).
ALTER TABLE "inbox" SET (fillfactor = 70);--> statement-breakpoint
ALTER TABLE "inboxes" SET (fillfactor = 70);
