import { expect } from 'vitest'
import { customer, person, test } from './people.ts'
import { looksFine, opensNotices } from './screen.ts'

test('Alice is told of each sign-in and ends what is not hers: that page says why, and she is led to a new password', async ({
  server,
}) => {
  const alice = await customer(server, 'Alice')
  const { page } = alice
  const other = await person(server, 'Alice', alice)
  await other.signsIn()
  const sheet = await opensNotices(page, /New sign-in: Chrome on Linux, /)
  await sheet.getByText('Not you? End it and change your password.').waitFor()
  await looksFine(page, 'notices')
  await other.page.getByLabel('Name of this browser').fill('Phone')
  await other.page.getByRole('button', { name: 'Add this browser' }).click()
  // The announcement of the browser takes the place of that of its sign-in.
  await sheet.getByText('A new browser was added to your account').waitFor()
  await page.getByText(/New sign-in/).waitFor({ state: 'detached' })
  await other.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()

  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('heading', { name: 'Devices' }).waitFor()
  const row = page.locator('li', { hasText: 'Phone' })
  await looksFine(page, 'sessions and devices')
  await row.getByText(/Signed in: Chrome on Linux · direct · first seen .* · last seen/).waitFor()
  await row.getByRole('button', { name: /^It was me/ }).click()
  const isOut = other.page.getByText(/signed out from another browser of yours/)
  await row.getByRole('button', { name: 'Sign out Phone' }).click()
  await isOut.waitFor()
  await row.getByText('Signed out', { exact: true }).waitFor()

  await other.page.getByLabel(/^Username/).fill(alice.username)
  await other.page.getByLabel(/^Password/).fill(alice.password)
  await other.page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await other.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  // She is in the settings, where it is told as well.
  const line = page.getByRole('status', { name: 'Notices' })
  await line.getByText('New sign-in: Chrome on Linux').waitFor()
  // And where they are opened first: what is told brings its own styles, whatever else has been on the screen.
  await page.goto(`${server.url}/settings?tab=security`)
  await line.getByText('New sign-in: Chrome on Linux').waitFor()
  expect((await line.boundingBox())?.height).toBeLessThan(44)
  await page.setViewportSize({ width: 360, height: 740 })
  await (await opensNotices(page, /New sign-in/)).getByRole('button', { name: 'Sessions and devices' }).click()
  await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
  await (await opensNotices(page, /New sign-in/)).getByRole('button', { name: 'End it' }).click()
  await isOut.waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('currentPassword')
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await page.getByText(/New sign-in/).count()).toBe(0)
  for (const one of [alice, other]) {
    expect(one.complaints).toEqual([])
    await one.leaves()
  }
})
