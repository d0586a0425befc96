-- No row, vault or session of before changes: none of its messages has a lifetime. A build of before that runs on this database posts
-- none, and empties none that is due.
CREATE TABLE "timed_messages" (
	"room" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"lifetime" integer NOT NULL,
	"is_read" boolean DEFAULT false NOT NULL,
	"sender_id" uuid NOT NULL,
	CONSTRAINT "timed_messages_room_seq_pk" PRIMARY KEY("room","seq")
);
--> statement-breakpoint
ALTER TABLE "timed_messages" ADD CONSTRAINT "timed_messages_room_chat_rooms_number_fk" FOREIGN KEY ("room") REFERENCES "public"."chat_rooms"("number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "timed_messages_due" ON "timed_messages" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "timed_messages_unread" ON "timed_messages" USING btree ("room","seq") WHERE not "timed_messages"."is_read";