-- No row of before changes. Administrators and blocked accounts, of which there are few, get an index each.
CREATE INDEX "users_blocked" ON "users" USING btree ("id") WHERE not "users"."is_active" and "users"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "users_admins" ON "users" USING btree ("id") WHERE "users"."is_admin";
