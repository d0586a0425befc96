import { createHash } from 'node:crypto'
import { request as openRequest } from 'node:http'
import { expect, test } from 'vitest'
import { gif, jpeg } from '../../../client/testing/pictures.ts'
import { accountApi } from '../../../contract/account/account.ts'
import { adminApi } from '../../../contract/admin/admin.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { filesApi } from '../../../contract/chat/files.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import type { Browser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import { pictureBytes } from '../../testing/picture.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** The address without its signature. */
const pathOf = (address: string) => address.split('?')[0] ?? ''
const begins = async (who: Browser) => (await who.does(filesApi.upload, {})).uploadURL
const puts = (who: Browser, path: string, body: Uint8Array | string) =>
  who.request('PUT', path, { body, headers: { origin: who.origin ?? '', 'content-type': 'application/octet-stream' } })
const sets = (who: Browser, profileImageURL: string | null) => who.tries(accountApi.setPhoto, { profileImageURL })

/** Uploads bytes and returns their path. */
async function uploads(who: Browser, body: Uint8Array | string): Promise<string> {
  const address = await begins(who)
  expect(await puts(who, address, body)).toMatchObject({ status: 200, body: {} })
  return pathOf(address)
}

/** Uploads a photo and makes it that of the account. Returns its path. */
async function shows(who: Browser, body = pictureBytes('jpeg')): Promise<string> {
  const path = await uploads(who, body)
  expect((await who.does(accountApi.setPhoto, { profileImageURL: path })).profileImageUrl).toBe(path)
  return path
}

const reads = (who: Browser, path: string) => who.request('GET', path)
const isStored = async (path: string) => (await world.env.bucket.get(path.split('/').at(-1) ?? ''))?.destroy() !== undefined
const rowsOf = ({ id }: Person) => world.sql('select state from objects where owner_id = $1 order by created_at', [id])
const sweeps = async () => {
  world.passes(60)
  await world.jobs.runDue()
}

test('a photo reaches the owner’s contacts byte for byte, under headers that let nothing run and no cache keep it', async () => {
  const { alice, bob } = await world.people()
  await alice.talksTo(bob)
  const line = await bob.opensSocket()
  const own = await alice.opensSocket()
  const { counter } = await bob.does(roomsApi.list, {})
  const body = pictureBytes('jpeg')
  const path = await shows(alice, body)
  expect(path).toMatch(/^\/objects\/uploads\/[0-9a-f-]{36}$/)
  expect((await line.hears('contacts')).data).toEqual({ userIds: [alice.id] })
  expect((await own.hears('account')).data).toEqual({ what: 'name' })
  const { rooms } = await bob.does(roomsApi.list, { since: counter ?? '' })
  expect(rooms.map(({ people }) => people[0]?.profileImageUrl)).toEqual([path])
  expect((await bob.contacts())[0]?.contactUser.profileImageUrl).toBe(path)
  for (const who of [alice, bob]) {
    const response = await fetch(world.url + path, { headers: { cookie: who.cookie ?? '' } })
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(body.length),
      'content-disposition': 'attachment',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  }
  const [row] = await world.sql('select size_bytes, hash, kind, chat_room_id from objects where owner_id = $1', [alice.id])
  const hash = createHash('sha256').update(body).digest()
  expect(row).toMatchObject({ size_bytes: body.length, hash, kind: 'photo', chat_room_id: null })
  line.hangsUp()
  own.hangsUp()
})

test('an administrator sees the photo of everybody while it is in use, and no sealed file; whose rights have ended sees none', async () => {
  const { alice, bob, carol: ada } = await world.people()
  await world.sql('update users set is_admin = true where id = $1', [ada.id])
  const [room, path] = [await alice.talksTo(bob), await shows(alice)]
  expect((await ada.does(adminApi.users, { search: alice.username })).users[0]).toMatchObject({ profileImageUrl: path })
  expect((await reads(ada, path)).status).toBe(200)
  const [file] = await world.sql(
    `insert into objects (id, owner_id, kind, chat_room_id, message_seq, state, size_bytes, hash, media_type, created_at)
     values (gen_random_uuid(), $1, 'file', $2, 1, 'used', 10, '\\x00', 'image/png', now()) returning id`,
    [alice.id, room],
  )
  expect(await reads(ada, `/objects/uploads/${file?.['id']}`)).toBeRefused(404, 'not_found')
  await world.sql('update users set is_admin = false where id = $1', [ada.id])
  expect(await reads(ada, path)).toBeRefused(404, 'not_found')
})

test('a stranger, one who only asks, and one whom nobody knows see no photo: not the path, not the bytes, not that it changes', async () => {
  const { alice, bob, carol, eve } = await world.people()
  await alice.talksTo(bob)
  await eve.adds(alice)
  await alice.adds(carol)
  const lines = await Promise.all([eve, carol].map((who) => who.opensSocket()))
  await world.settles()
  const before = await Promise.all([eve, carol].map(async (who) => (await who.does(roomsApi.list, {})).counter ?? ''))
  const path = await shows(alice)
  for (const [at, who] of [eve, carol].entries()) {
    expect((await who.does(roomsApi.list, { since: before[at] ?? '' })).rooms).toEqual([])
    expect(JSON.stringify([await who.does(roomsApi.list, {}), await who.contacts()])).not.toContain(path)
    expect(await reads(who, path)).toBeRefused(404, 'not_found')
  }
  const nobodys = path.replace(/.{12}$/, '0'.repeat(12))
  expect((await reads(eve, path)).text).toBe((await reads(eve, nobodys)).text)
  expect(await reads(world.stranger(), path)).toBeRefused(401, 'not_signed_in')
  expect((await reads(bob, path)).status).toBe(200)
  for (const line of lines) {
    line.says({ type: 'ping', data: {} })
    await line.hears('pong')
    expect(line.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
    line.hangsUp()
  }
  // Whoever is taken off the list sees no photo from then on, and hears that there is one no more; whoever accepts sees it at once.
  const [listed] = await alice.contacts()
  const counter = (await carol.does(roomsApi.list, {})).counter ?? ''
  await carol.does(contactsApi.accept, { contactId: (await carol.contacts())[0]?.id ?? '' })
  expect((await carol.does(roomsApi.list, { since: counter })).rooms[0]?.people[0]?.profileImageUrl).toBe(path)
  const his = await bob.opensSocket()
  await his.hears('hello')
  for (const { id, contactUserId } of await alice.contacts())
    if (contactUserId === bob.id) await alice.does(contactsApi.remove, { contactId: id })
  expect((await his.hears('contacts')).data).toEqual({ userIds: [alice.id] })
  his.hangsUp()
  expect((await bob.contacts())[0]?.contactUser.profileImageUrl).toBeNull()
  expect(listed).toBeDefined()
  expect(await reads(bob, path)).toBeRefused(404, 'not_found')
})

test('whom Alice has blocked sees her photo as before, so that nothing tells them', async () => {
  const { alice, bob } = await world.people()
  await alice.talksTo(bob)
  const path = await shows(alice)
  await alice.does(contactsApi.block, { contactId: (await alice.contacts())[0]?.id ?? '' })
  expect((await bob.contacts())[0]?.contactUser.profileImageUrl).toBe(path)
  expect((await reads(bob, path)).status).toBe(200)
})

test('Eve makes nobody else’s file her photo, sends bytes to nobody else’s address, and learns of neither whether it exists', async () => {
  const { alice, eve } = await world.people()
  const [open, stored] = [await begins(alice), await uploads(alice, pictureBytes('png'))]
  const used = await shows(alice)
  const nobodys = used.replace(/.{12}$/, '0'.repeat(12))
  for (const path of [open, stored, used, nobodys, 'https://evil.example/face.png', '/etc/passwd', '', `${used}/../x`])
    expect(await sets(eve, path)).toBeRefused(400, 'unknown_upload')
  for (const path of [open, stored, used, nobodys]) {
    expect(await puts(eve, path, pictureBytes('png'))).toBeRefused(404, 'not_found')
    expect(await reads(eve, path)).toBeRefused(404, 'not_found')
  }
  expect((await eve.does(accountApi.user, {})).profileImageUrl).toBeNull()
  // Her own photo of before is no way to drop that of somebody else.
  await world.sql('update users set profile_image_url = $2 where id = $1', [eve.id, used])
  expect(await sets(eve, null)).toMatchObject({ status: 200 })
  await sweeps()
  expect((await reads(alice, used)).status).toBe(200)
})

test('a renamed PDF and an SVG with a script become no photo, and nobody is ever sent them; nor a picture that fills the memory', async () => {
  const alice = await world.person('alice')
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("/api/user")</script></svg>'
  const html = '<!doctype html><script>alert(document.cookie)</script>'
  for (const body of [
    '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>',
    svg,
    html,
    pictureBytes('png', { width: 30_000, height: 30_000 }),
    gif([1, 1], [20_000, 20_000]),
    jpeg([20_000, 20_000], 600_000),
  ]) {
    const path = await uploads(alice, body)
    expect(await sets(alice, path)).toBeRefused(400, 'not_a_picture')
    expect(await reads(alice, path)).toBeRefused(404, 'not_found')
  }
  for (const type of ['png', 'gif', 'jpeg'] as const)
    expect(await sets(alice, await uploads(alice, pictureBytes(type)))).toMatchObject({ status: 200 })
})

test('6 MB are refused by name before they are stored, and an empty file too; the address takes a right one afterwards', async () => {
  const alice = await world.person('alice')
  const path = await begins(alice)
  expect(await puts(alice, path, new Uint8Array(6_000_000))).toBeRefused(413, 'too_large')
  expect(await puts(alice, path, '')).toBeRefused(400, 'empty_upload')
  expect(await sets(alice, path)).toBeRefused(400, 'unknown_upload')
  expect(
    await puts(alice, path, pictureBytes('gif', { more: LIMITS.photoBytes - pictureBytes('gif', { more: 0 }).length })),
  ).toMatchObject({ status: 200 })
})

test('bytes never change once they are here, an address expires, and a connection that breaks leaves nothing behind', async () => {
  const alice = await world.person('alice')
  const address = await begins(alice)
  const path = pathOf(address)
  expect(await puts(alice, address, pictureBytes('png'))).toMatchObject({ status: 200 })
  expect(await puts(alice, address, '<svg></svg>')).toBeRefused(409, 'already_uploaded')
  const late = await begins(alice)
  const cut = await begins(alice)
  await breaksOff(alice, cut)
  await expect
    .poll(() => world.sql('select state from objects where id = $1', [pathOf(cut).split('/').at(-1)]))
    .toEqual([{ state: 'awaited' }])
  expect(await isStored(pathOf(cut))).toBe(false)
  expect(await puts(alice, cut, pictureBytes('png'))).toMatchObject({ status: 200 })
  world.passes(LIMITS.uploadSeconds + 1)
  expect(await puts(alice, late, pictureBytes('png'))).toBeRefused(403, 'upload_expired')
  expect(await sets(alice, `${world.url}${path}?X-Amz-Signature=abc`)).toMatchObject({ status: 200 })
})

test('of two requests that send bytes for one address, one is taken', async () => {
  const alice = await world.person('alice')
  const path = await begins(alice)
  const answers = await Promise.all([1, 2, 3].map((more) => puts(alice, path, pictureBytes('png', { more: 100_000 + more }))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test('a replaced or removed photo is gone for everybody at once, and its bytes with the next job', async () => {
  const { alice, bob } = await world.people()
  await alice.talksTo(bob)
  const [first, second] = [await shows(alice), await shows(alice, pictureBytes('png'))]
  for (const who of [alice, bob]) expect(await reads(who, first)).toBeRefused(404, 'not_found')
  expect((await reads(bob, second)).status).toBe(200)
  await alice.does(accountApi.setPhoto, { profileImageURL: null })
  expect((await bob.contacts())[0]?.contactUser.profileImageUrl).toBeNull()
  expect(await reads(bob, second)).toBeRefused(404, 'not_found')
  expect(await isStored(second)).toBe(true)
  await sweeps()
  expect([await isStored(first), await isStored(second), await rowsOf(alice)]).toEqual([false, false, []])
})

test('uploads that nothing uses go after a day, and the oldest before when they are too many; a photo in use stays', async () => {
  const alice = await world.person('alice')
  const used = await shows(alice)
  const paths: string[] = []
  for (let at = 0; at <= LIMITS.uploadsWaitingMax; at++) {
    world.passes(1)
    paths.push(await uploads(alice, pictureBytes('png')))
  }
  expect(await sets(alice, paths[0] ?? '')).toBeRefused(400, 'unknown_upload')
  await sweeps()
  expect([await isStored(paths[0] ?? ''), await isStored(paths[1] ?? '')]).toEqual([false, true])
  world.passes(LIMITS.uploadKeptSeconds)
  await sweeps()
  expect(await rowsOf(alice)).toEqual([{ state: 'used' }])
  expect(await isStored(paths[1] ?? '')).toBe(false)
  expect((await reads(alice, used)).status).toBe(200)
})

test('a file whose bytes cannot be deleted keeps its row and holds up no other', async () => {
  const alice = await world.person('alice')
  const paths = [await shows(alice), await shows(alice), await shows(alice)]
  expect((await sets(alice, null)).status).toBe(200)
  const { bucket } = world.env
  const dropped = await world.sql("select id from objects where owner_id = $1 and state = 'dropped'", [alice.id])
  const stuck = String(dropped[0]?.['id'])
  world.env.bucket = { ...bucket, remove: (name) => (name === stuck ? Promise.reject(new Error('EACCES')) : bucket.remove(name)) }
  await sweeps()
  world.env.bucket = bucket
  expect([dropped.length, await rowsOf(alice)]).toEqual([3, [{ state: 'dropped' }]])
  expect(await Promise.all(paths.map(isStored))).toEqual(paths.map((path) => path.endsWith(stuck)))
  await sweeps()
  expect(await rowsOf(alice)).toEqual([])
})

test('a deleted account leaves no file, also none that was on its way', async () => {
  const { alice, bob } = await world.people()
  await alice.talksTo(bob)
  const used = await shows(alice)
  await uploads(alice, pictureBytes('gif'))
  await begins(alice)
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  expect(await reads(bob, used)).toBeRefused(404, 'not_found')
  expect((await bob.contacts())[0]?.contactUser.profileImageUrl).toBeNull()
  await sweeps()
  expect([await rowsOf(alice), await isStored(used)]).toEqual([[], false])
})

test('without Origin checks no other page sends bytes: a write from elsewhere is refused', async () => {
  const alice = await world.person('alice')
  const path = await begins(alice)
  const answer = await alice.request('PUT', path, { body: 'x', headers: { origin: 'https://evil.example' } })
  expect(answer).toBeRefused(403, 'forbidden_origin')
})

/** Announces more bytes than it sends, and hangs up. */
async function breaksOff(who: Browser, path: string): Promise<void> {
  const headers = { cookie: who.cookie ?? '', origin: who.origin ?? '', 'content-length': '5000' }
  const request = openRequest(world.url + path, { method: 'PUT', headers })
  request.on('error', () => undefined)
  request.write(Buffer.alloc(1000))
  await expect.poll(() => world.sql("select 1 from objects where state = 'arriving'")).toHaveLength(1)
  request.destroy()
}

test('Photos in mass do not fill the disk: one address sends a day’s bytes of them, however many accounts it has made', async () => {
  const strict = await startWorld({ hasLimits: true, variables: { TRUST_PROXY: '1' } })
  const [eve, second, alice] = [
    await strict.person('eve', 'free'),
    await strict.person('eve', 'free'),
    await strict.person('alice'),
  ]
  const from = async (who: Browser, address: string) => {
    const headers = { origin: who.origin ?? '', 'content-type': 'application/octet-stream', 'x-forwarded-for': address }
    return await who.request('PUT', await begins(who), { body: pictureBytes('jpeg', { more: 5000 }), headers })
  }
  await strict.env.limits.take('photosOfAddress', '203.0.113.9', RATES.photosOfAddress.points - 7)
  expect((await from(eve, '203.0.113.9')).status).toBe(200)
  expect(await from(second, '203.0.113.9')).toBeRefused(429, 'too_many_requests')
  expect(await strict.sql("select from objects where owner_id = $1 and state <> 'awaited'", [second.id])).toEqual([])
  expect((await from(alice, '203.0.113.77')).status).toBe(200)
  expect(RATES.photosOfAddress).toMatchObject({
    points: (100 * LIMITS.photoBytes + 12 * 1024 * 1024) / 1024,
    seconds: 24 * 60 * 60,
  })
})
