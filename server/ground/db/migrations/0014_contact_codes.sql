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
ALTER TABLE "contact_code_uses" ADD CONSTRAINT "contact_code_uses_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_code_uses" ADD CONSTRAINT "contact_code_uses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contact_qr_codes" ADD CONSTRAINT "contact_qr_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contact_code_uses_user" ON "contact_code_uses" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "contact_code_uses_age" ON "contact_code_uses" USING btree ("used_at");--> statement-breakpoint
CREATE UNIQUE INDEX "contact_qr_codes_active" ON "contact_qr_codes" USING btree ("user_id") WHERE "contact_qr_codes"."is_active";--> statement-breakpoint
CREATE INDEX "contact_qr_codes_user" ON "contact_qr_codes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "contact_qr_codes_age" ON "contact_qr_codes" USING btree ("expires_at");