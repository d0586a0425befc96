import pg from 'pg'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { runningUrl } from '../server/ground/db/embedded.ts'
import { customer, test } from './people.ts'

const COUNT = 300

/** Inserts contacts of this person into the database, who have registered nowhere: friend 1 is the newest. */
async function writeContacts(dataFolder: string, username: string, name = 'friend'): Promise<void> {
  const client = new pg.Client(await runningUrl(dataFolder, 'conclave'))
  await client.connect()
  await client.query(
    `with me as (select id from users where username = $1),
     friends as (
       insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
       select gen_random_uuid(), $3::text || '_' || n, initcap($3) || ' ' || n, '', '', now(), now() from generate_series(1, $2::int) n
       returning id, username),
     rooms as (
       insert into chat_rooms (id, created_by, created_at, last_message_at)
       select 'dm_' || least(me.id::text, f.id::text) || '_' || greatest(me.id::text, f.id::text), me.id, now(),
         now() - split_part(f.username, '_', 2)::int * interval '1 minute' from friends f, me
       returning id),
     sides as (
       select me.id as mine, f.id as theirs, 'dm_' || least(me.id::text, f.id::text) || '_' || greatest(me.id::text, f.id::text) as room from friends f, me),
     members as (
       insert into chat_participants (chat_room_id, user_id, joined_at)
       select room, mine, now() from sides, (select count(*) from rooms) made union all select room, theirs, now() from sides)
     insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
     select gen_random_uuid(), mine, theirs, 'accepted', room, now() - interval '1 year' from sides
     union all select gen_random_uuid(), theirs, mine, 'accepted', room, now() - interval '1 year' from sides`,
    [username, COUNT, name],
  )
  await client.end()
}

/** Inserts a room of this person and so many of the contacts, in which nobody has written. No call makes one. */
async function writeGroup(dataFolder: string, username: string, count: number): Promise<void> {
  const client = new pg.Client(await runningUrl(dataFolder, 'conclave'))
  await client.connect()
  await client.query(
    `with me as (select id from users where username = $1),
     room as (
       insert into chat_rooms (id, type, created_by, created_at, last_message_at)
       select 'room_' || gen_random_uuid(), 'group', id, now(), now() from me returning id)
     insert into chat_participants (chat_room_id, user_id, joined_at, unread_count)
     select room.id, member, now(), 2 from room, (
       select id as member from me union all
       (select contact_user_id from contacts where user_id = (select id from me) order by 1 limit $2)) members`,
    [username, count],
  )
  await client.end()
}

/** The place of the focused row in the list, and whether it is in the visible part; undefined if no row has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const row = document.activeElement?.closest('li[aria-posinset]')
    const list = row?.closest('.list')
    if (!row || !list) return undefined
    const [box, view] = [row.getBoundingClientRect(), list.getBoundingClientRect()]
    const isVisible = box.top >= view.top - 1 && box.bottom <= view.bottom + 1
    return `${row.ariaPosInSet} of ${row.ariaSetSize}${isVisible ? '' : ', out of sight'}`
  })

test('Alice finds her way among 300 chats by keyboard, and comes back on a phone to the row that she left', async ({
  server,
}) => {
  const alice = await customer(server, 'Alice', { isFree: true })
  const { page } = alice
  await page.goto('about:blank')
  await writeContacts(server.dataFolder, alice.username)
  await page.goto(server.url)
  const field = page.getByPlaceholder('Search')
  const press = async (key: string, place: string) => {
    await page.keyboard.press(key)
    await expect.poll(() => focused(page)).toBe(place)
  }
  await page.locator('.rows > li[aria-setsize="300"]').first().waitFor()
  expect(await page.locator('.rows > li').count()).toBeLessThan(60)

  await field.fill('friend 29')
  await page.getByText('11 contacts found').waitFor({ state: 'attached' })
  await field.press('ArrowDown')
  await expect.poll(() => focused(page)).toBe('1 of 11')
  await page.keyboard.press('Escape')
  expect(await field.inputValue()).toBe('')

  await press('ArrowDown', '1 of 300')
  await press('End', '300 of 300')
  await press('ArrowUp', '299 of 300')
  await press('Home', '1 of 300')
  await press('ArrowDown', '2 of 300')
  await page.keyboard.press('PageDown')
  await expect.poll(() => focused(page)).toMatch(/^(?!2 )\d+ of 300$/)
  await press('Home', '1 of 300')
  await press('ArrowDown', '2 of 300')
  await press('ArrowDown', '3 of 300')
  // The neighbours of the focused row do not exist any more.
  await page.locator('.list').evaluate((list) => list.scrollTo({ top: list.scrollHeight / 2 }))
  await page.getByRole('listitem').filter({ hasText: 'Friend 150' }).first().waitFor()
  await expect.poll(() => focused(page)).toBe('3 of 300, out of sight')
  await press('ArrowUp', '2 of 300')

  await page.setViewportSize({ width: 360, height: 800 })
  await page.locator('.list').evaluate((list) => list.scrollTo({ top: list.scrollHeight / 2 }))
  await page.locator('a.row', { hasText: 'Friend 150' }).click()
  const back = page.getByRole('button', { name: 'Back to contacts' })
  await back.click()
  await expect.poll(() => focused(page)).toBe('150 of 300')
  // Once more by an address: the list has not been shown at all before.
  await page.locator('a.row', { hasText: 'Friend 150' }).click()
  await back.waitFor()
  await page.reload()
  await back.click()
  await expect.poll(() => focused(page)).toBe('150 of 300')
  await alice.leaves()
  expect(alice.complaints).toEqual([])
})

test('A room of several people that a newer version made stands on the list by its names, and no screen stumbles over it', async ({
  server,
}) => {
  const alice = await customer(server, 'Alice', { isFree: true })
  const { page } = alice
  await page.goto('about:blank')
  await writeContacts(server.dataFolder, alice.username, 'member')
  await writeGroup(server.dataFolder, alice.username, 5)
  await page.goto(server.url)
  const names = /^(Member \d+, ){3}\+2$/
  const row = page.locator('.rows a.row[data-room^="room_"]')
  await expect.poll(() => row.locator('.name').textContent()).toMatch(names)
  expect(await row.count()).toBe(1)
  await row.getByText('No messages').waitFor()
  await page.locator('.bell .count', { hasText: '2' }).waitFor()
  // Neither of the chats with contacts is called by a member of the other room.
  const name = (await row.locator('.name').textContent()) ?? ''
  const [friend = ''] = name.split(',')
  await page.getByPlaceholder('Search').fill(friend)
  await expect.poll(() => page.locator('.rows a.row .name', { hasText: friend }).count()).toBeGreaterThan(1)
  await page.getByRole('button', { name: 'Clear the search' }).click()

  await row.click()
  await page.getByText('This version shows no chats of several people.').waitFor()
  await page.locator('.empty', { hasText: name }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type(friend)
  await page.getByRole('option', { name }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Go Back' }).click()
  await page.locator('.bell').click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await row.click({ button: 'right' })
  expect(await page.getByRole('menu').count()).toBe(0)
  await alice.leaves()
  expect(alice.complaints).toEqual([])
})
