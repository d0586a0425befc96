import { expect, test } from 'vitest'
import { wrongOf } from './invitationForm.ts'

test('a field of an invitation that is empty says so itself, and so does one that is wrong', () => {
  const email = 'Please enter a valid email'
  const username = 'Username must be at least 3 characters'
  const wrong = (inviteeEmail: string, inviteeUsername: string) => wrongOf({ inviteeEmail, inviteeUsername })
  expect(wrong('', ' ')).toEqual({ inviteeEmail: email, inviteeUsername: username })
  expect(wrong('bob@example.org', '')).toEqual({ inviteeUsername: username })
  expect(wrong('', 'bo')).toEqual({ inviteeEmail: email, inviteeUsername: username })
  expect(wrong('bob', 'bo')).toEqual({ inviteeEmail: email, inviteeUsername: username })
  expect(wrong('bob@example.org', 'bob')).toEqual({})
})
