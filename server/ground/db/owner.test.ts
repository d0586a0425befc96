import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { adminApi } from '../../../contract/admin/admin.ts'
import { makeAdmin } from '../../admin/operator.ts'
import { checkLedger } from '../../money/ledger/audit.ts'
import { cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'
import { createDatabase } from './create.ts'
import { migrate } from './migrate.ts'
import { OwnerError, requireOtherOwner } from './owner.ts'

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** An empty database of a role `owner`, and another role `server` that may connect. */
async function twoRoles() {
  const template = inject('clusterUrl')
  const name = `owner_${randomBytes(6).toString('hex')}`
  const [owner, server] = [`${name}_owner`, `${name}_server`]
  const superUrl = template.replace('/template?', '/postgres?')
  await createDatabase(superUrl, name)
  const cluster = await open(superUrl)
  for (const role of [owner, server]) await cluster.query(`create role ${role} login password 'pw'`)
  await cluster.query(`alter database ${name} owner to ${owner}`)
  const urlOf = (role?: string) => {
    const url = new URL(template.replace('/template?', `/${name}?`))
    if (role) Object.assign(url, { username: role, password: 'pw' })
    return url.href
  }
  return { cluster, owner, server, urlOf }
}

test('the server’s role reads and writes rows of what another role owns, and takes neither triggers nor rows of the books away', async () => {
  const { owner, server, urlOf } = await twoRoles()
  await migrate(urlOf(owner), import.meta.dirname, { serverRole: server })
  await requireOtherOwner(urlOf(server))
  // The product does all that it does: an account, a payment, an act of an administrator.
  const world = await startWorld({ at: urlOf(server) })
  const { free, buys, tierOf } = cardsOf(world)
  const [ada, bob] = [await world.person('ada', 'free'), await free()]
  await buys(bob, 'premium')
  expect(await tierOf(bob)).toBe('premium')
  await makeAdmin(world.env.db, ada.username)
  expect(await ada.does(adminApi.system, {})).toMatchObject({ processes: 1 })
  expect((await checkLedger(world.env.db, world.env.clock())).differences).toEqual([])
  const client = await open(urlOf(server))
  const refused = async (statement: string) =>
    await client.query(statement).then(
      () => 'done',
      ({ message }: Error) => message,
    )
  for (const table of ['ledger_entries', 'audit_log']) {
    expect(await refused(`alter table ${table} disable trigger all`)).toBe(`must be owner of table ${table}`)
    expect(await refused(`drop table ${table}`)).toBe(`must be owner of table ${table}`)
    expect(await refused(`truncate ${table}`)).toBe(`permission denied for table ${table}`)
  }
  for (const table of ['ledger_entries', 'audit_log'])
    for (const act of [`update ${table} set created_at = now()`, `delete from ${table}`])
      expect(await refused(act), act).toMatch(/is only appended to$/)
  expect(await refused(`set session_replication_role = replica`)).toMatch(/^permission denied/)
  expect(await refused(`set role ${owner}`)).toMatch(/^permission denied/)
  expect(await refused('create table own (id int)')).toBe('permission denied for schema public')
  // A start of later finds everything as it is.
  await migrate(urlOf(owner), import.meta.dirname, { serverRole: server })
})

test('a role that could take the triggers away is refused: the owner itself, its member, who makes roles, a superuser, and who owns a function or the database', async () => {
  const { cluster, owner, server, urlOf } = await twoRoles()
  await migrate(urlOf(owner), import.meta.dirname, { serverRole: server })
  await requireOtherOwner(urlOf(server))
  await expect(requireOtherOwner(urlOf(owner))).rejects.toThrow(OwnerError)
  await expect(requireOtherOwner(urlOf())).rejects.toThrow(OwnerError)
  await cluster.query(`grant ${owner} to ${server}`)
  await expect(requireOtherOwner(urlOf(server))).rejects.toThrow(OwnerError)
  await cluster.query(`revoke ${owner} from ${server}`)
  await cluster.query(`alter role ${server} createrole`)
  await expect(requireOtherOwner(urlOf(server))).rejects.toThrow(OwnerError)
  await cluster.query(`alter role ${server} nocreaterole`)
  await requireOtherOwner(urlOf(server))
  // Who owns the database drops its tables, and who owns a function of a trigger replaces it.
  const inside = await open(urlOf())
  const [{ name: trigger }] = (
    await inside.query(
      `select tgfoid::regproc::text as name from pg_trigger where tgrelid = 'audit_log'::regclass and not tgisinternal limit 1`,
    )
  ).rows as [{ name: string }]
  await inside.query(`alter function ${trigger} owner to ${server}`)
  await expect(requireOtherOwner(urlOf(server))).rejects.toThrow(OwnerError)
  await inside.query(`alter function ${trigger} owner to ${owner}`)
  await requireOtherOwner(urlOf(server))
  await inside.query(`alter database ${new URL(urlOf()).pathname.slice(1)} owner to ${server}`)
  await expect(requireOtherOwner(urlOf(server))).rejects.toThrow(OwnerError)
})
