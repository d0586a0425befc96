-- Passkeys begin to sign in. Those of before stand in the keyrings alone and go on opening keys; none signs in until it is made anew.
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
ALTER TABLE "sign_ins" ADD COLUMN "copied_passkey" text;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "used_challenges_age" ON "used_challenges" USING btree ("expires_at");
--> statement-breakpoint
-- Both flags did nothing until now. No account has a passkey that signs in, so an account that had them set would be asked for one that
-- it does not have: its password signs in as before, and the person switches it on again.
UPDATE "users" SET "has_biometrics" = false, "biometric_enabled" = false WHERE "has_biometrics" OR "biometric_enabled";
