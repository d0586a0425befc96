CREATE TABLE "sign_ins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"device_id" text,
	"browser" text NOT NULL,
	"system" text NOT NULL,
	"ingress" text NOT NULL,
	"signed_in_at" timestamp (3) with time zone NOT NULL,
	"answered_by" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sign_ins" ADD CONSTRAINT "sign_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sign_ins_user" ON "sign_ins" USING btree ("user_id","signed_in_at");--> statement-breakpoint
CREATE INDEX "sign_ins_age" ON "sign_ins" USING btree ("signed_in_at");