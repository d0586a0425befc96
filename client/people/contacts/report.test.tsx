// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, shownBob as person, shownRoom as room } from '../../testing/shown.ts'
import { ReportContact } from './ReportContact.tsx'

openScreen()

const signsIn = (id: string | null) => act(() => accountStore.setState({ user: id === null ? null : ({ id } as User) }))
const crypto = { page: async () => ({ messages: [] }) } as unknown as Env['crypto']
const opens = () => {
  cleanup()
  return show(<ReportContact {...{ room, person }} onClose={() => undefined} />, makeAnswers(), { crypto }).person
}
const field = () => screen.getByLabelText<HTMLTextAreaElement>(/^What happened/)

test('What was typed into a report outlives its dialog, and never the session: the person whom it is about signs in on the same page', async () => {
  signsIn(ALICE_ID)
  await opens().type(field(), 'He threatens me')
  opens()
  expect(field().value).toBe('He threatens me')
  signsIn(null)
  signsIn(BOB_ID)
  opens()
  expect(field().value).toBe('')
})
