import { afterAll, expect, test } from 'vitest'
import { familyApi, type Invitation } from '../../../contract/account/family.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { makeMail } from '../../ground/outbound/mail.ts'
import { readMail } from '../../settings/mailsettings.ts'
import type { Person } from '../../testing/person.ts'
import { startSmtp } from '../../testing/smtp.ts'
import { startWorld } from '../../testing/world.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())
const SMTP_FROM = 'Conclave <chat@conclave.example>'
const world = await startWorld({
  hasLimits: true,
  variables: { SMTP_URL: smtp.url, SMTP_FROM, PUBLIC_URL: 'https://chat.example.org' },
})
const silent = await startWorld()
const master = () => world.person('mia', 'master')
let count = 0
/** Somebody who has had no mail yet. */
const address = () => `bob${count++}@mail.example`
const invites = (mia: Person, inviteeEmail: string) => mia.does(familyApi.invite, { inviteeEmail, inviteeUsername: 'bob' })
const again = (mia: Person, { id }: Invitation) => mia.tries(familyApi.mail, { invitationId: id })

test('an invitation is mailed to the one address, with the link and the username, and said to be sent once it was taken', async () => {
  const [mia, bob] = [await master(), address()]
  expect(await mia.does(familyApi.own, {})).toEqual({ sendsMail: true, membership: null })
  const invitation = await invites(mia, bob)
  expect(invitation).toMatchObject({ mail: 'sent', mailedAt: expect.any(String) })
  const [{ to, lines } = { to: [], lines: [] }] = smtp.mails.splice(0)
  expect(to).toEqual([bob])
  const head = lines.slice(0, lines.indexOf(''))
  expect(head).toContain(`From: ${SMTP_FROM}`)
  expect(head).toContain(`To: ${bob}`)
  expect(head).toContain(`Subject: @${mia.username} invites you to Conclave`)
  expect(head).toContain('Auto-Submitted: auto-generated')
  expect(lines).toContain(`https://chat.example.org/invitation/${invitation.invitationToken}`)
  expect(await mia.does(familyApi.invitations, {})).toMatchObject([{ mail: 'sent' }])
})

test('a mail that the mail server did not take is said to have failed, and goes when it is asked again', async () => {
  const mia = await master()
  for (const mood of ['refuses', 'hangs up'] as const) {
    smtp.mood = mood
    const invitation = await invites(mia, address())
    expect(invitation).toMatchObject({ status: 'pending', mail: 'failed', mailedAt: null, invitationToken: expect.any(String) })
    smtp.mood = 'takes'
    expect(await again(mia, invitation)).toMatchObject({ status: 200, body: { mail: 'sent', id: invitation.id } })
    expect(smtp.mails.splice(0)).toHaveLength(1)
  }
  expect(world.log()).toContain('the mail server did not take a mail')
  expect(world.log()).not.toContain('mail.example')
})

test('a mail server that cannot be reached fails no invitation', async () => {
  const gone = await startSmtp()
  await gone.stop()
  const why: object[] = []
  const mail = makeMail(readMail({ SMTP_URL: gone.url, SMTP_FROM }), (each) => why.push(each))
  expect(await mail.send({ to: 'bob@mail.example', subject: 'x', text: 'x' })).toBe(false)
  expect(why).toEqual([{ code: expect.stringMatching(/^E/), answer: undefined }])
})

test('Eve adds neither a header nor a second address to a mail', async () => {
  const eve = await world.person('eve', 'master')
  const attacks = [
    'bob@mail.example\r\nBcc: carol@mail.example',
    'bob@mail.example\nSubject: buy',
    'bob@mail.example, carol@mail.example',
    'bob@mail.example;carol@mail.example',
    'Bob <bob@mail.example>',
    '"bob\r\nBcc: carol"@mail.example',
    'bob@mail.example>\r\nRCPT TO:<carol@mail.example',
    'bob@mail.example\0',
  ]
  for (const inviteeEmail of attacks)
    expect(await eve.tries(familyApi.invite, { inviteeEmail, inviteeUsername: 'bob' })).toBeRefused(400, 'invalid_input')
  // Nor would the mail client, asked without that check, write to a second one.
  for (const to of attacks) await world.env.mail.send({ to, subject: 'a\r\nBcc: carol@mail.example', text: 'x' })
  for (const { to, lines } of smtp.mails.splice(0)) {
    expect(to).toHaveLength(1)
    expect(lines.filter((line) => /^(bcc|cc):/i.test(line))).toEqual([])
    expect(lines.filter((line) => /^subject:/i.test(line))).toHaveLength(1)
  }
})

test('Eve mails no invitation of others, none that is over, none without an address, and nobody more often than allowed', async () => {
  const [mia, eve] = [await master(), await world.person('eve', 'master')]
  const invitation = await invites(mia, 'carol@mail.example')
  expect(await again(eve, invitation)).toBeRefused(404, 'not_found')
  expect(await again(await world.person('bob', 'free'), invitation)).toBeRefused(403, 'master_required')
  for (let sent = 1; sent < RATES.mailsToOne.points; sent++) expect((await again(mia, invitation)).status).toBe(200)
  expect(await again(mia, invitation)).toBeRefused(429, 'too_many_requests')
  // From another account it goes no further; the invitation itself stands.
  const other = await invites(eve, 'CAROL@mail.example')
  expect(other).toMatchObject({ status: 'pending', mail: 'failed' })
  smtp.mails.splice(0)
  await eve.does(familyApi.cancel, { invitationId: other.id })
  expect(await again(eve, other)).toBeRefused(410, 'invitation_over')
  const nameOnly = await eve.does(familyApi.invite, { inviteeUsername: 'bob' })
  expect(nameOnly.mail).toBe(null)
  expect(await again(eve, nameOnly)).toBeRefused(409, 'no_mail_address')
  const last = await invites(eve, address())
  smtp.mails.splice(0)
  world.passes(8 * 24 * 60 * 60)
  await eve.returns()
  expect(await again(eve, last)).toBeRefused(410, 'invitation_over')
  expect(smtp.mails).toEqual([])
})

test('a server without a mail server sends nothing and says so', async () => {
  const mia = await silent.person('mia', 'master')
  expect(await mia.does(familyApi.own, {})).toEqual({ sendsMail: false, membership: null })
  const invitation = await invites(mia, address())
  expect(invitation).toMatchObject({ mail: null, mailedAt: null })
  expect(await again(mia, invitation)).toBeRefused(409, 'mail_off')
})

test('the settings of mail come together, demand TLS elsewhere, and show no password', () => {
  expect(readMail({})).toBeUndefined()
  const read =
    (SMTP_URL: string, from = SMTP_FROM) =>
    () =>
      readMail({ SMTP_URL, SMTP_FROM: from })
  expect(() => readMail({ SMTP_FROM })).toThrow('SMTP_URL')
  expect(() => readMail({ SMTP_URL: 'smtp://mail.example' })).toThrow('SMTP_FROM')
  expect(read('smtp://mail.example', 'chat@conclave.example\r\nBcc: eve@mail.example')).toThrow('SMTP_FROM')
  expect(read('https://user:secret@mail.example')).toThrow('SMTP_URL')
  expect(read('https://user:secret@mail.example')).not.toThrow('secret')
  expect(read('smtps://us%40er:p%3Ass@mail.example')()).toMatchObject({
    ...{ host: 'mail.example', port: 465, isSecure: true, isLocal: false, user: 'us@er', password: 'p:ss' },
  })
  expect(read('smtp://mail.example')()).toMatchObject({ port: 587, isSecure: false, isLocal: false, user: undefined })
  expect(read('smtp://localhost:25')()).toMatchObject({ port: 25, isLocal: true })
})
