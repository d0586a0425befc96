-- The row of a living account in the list of administrators, and of a deleted one too.
CREATE OR REPLACE FUNCTION "listing_of"("u" "users") RETURNS "listed_users" LANGUAGE sql STABLE AS $$
	SELECT u.id, u.created_at, lower(u.username || E'\n' || u.display_name), u.is_active, u.is_admin, plan_of(u, '-infinity'), u.subscription_end_date,
		u.master_account_id IS NOT NULL
$$;

CREATE OR REPLACE FUNCTION "list_user"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	row listed_users := listing_of(NEW);
BEGIN
	IF NEW.deleted_at IS NOT NULL THEN
		DELETE FROM listed_users WHERE user_id = NEW.id;
	ELSIF TG_OP = 'INSERT' OR OLD.deleted_at IS NOT NULL OR row IS DISTINCT FROM listing_of(OLD) THEN
		INSERT INTO listed_users SELECT row.*
		ON CONFLICT (user_id) DO UPDATE SET created_at = EXCLUDED.created_at, words = EXCLUDED.words, is_active = EXCLUDED.is_active,
			is_admin = EXCLUDED.is_admin, plan = EXCLUDED.plan, plan_ends = EXCLUDED.plan_ends, is_in_family = EXCLUDED.is_in_family;
	END IF;
	RETURN NULL;
END $$;

-- A message changes none of these columns.
CREATE OR REPLACE TRIGGER "users_listed" AFTER INSERT OR UPDATE OF "created_at", "username", "display_name", "is_active", "is_admin",
	"subscription_tier", "subscription_status", "subscription_end_date", "subscription_package_id", "master_account_id", "deleted_at" ON "users"
	FOR EACH ROW EXECUTE FUNCTION list_user();
