// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { Row } from './Row.tsx'

openScreen()

const room = (more: Partial<RoomRow> = {}): RoomRow => ({
  ...{
    id: 'r1',
    ownId: 'alice',
    memberIds: ['alice', 'bob'],
    peers: [],
    direct: null,
    isClosed: false,
    lastSeq: 4,
    clearedSeq: 0,
  },
  ...{ marks: {}, addedAt: '2026-11-01T00:00:00.000Z', lastMessage: null, lastMessageAt: null, unreadCount: 0, mutedUntil: null },
  ...{ preview: null, asksRestart: false, forks: [], isPasswordProtected: false, lock: 'none', hasPages: false, isTyping: false },
  ...more,
})
const missed = { text: 'Missed voice call', kind: 'missed' as const, status: null }

test.each<[string, Partial<RoomRow>, string | undefined, number]>([
  ['Three unread messages are a count', { unreadCount: 3 }, '3 unread', 0],
  ['A missed call, which has no number, is a dot', { preview: missed }, undefined, 1],
  ['Unread messages and a missed call are the count', { unreadCount: 2, preview: missed }, '2 unread', 0],
  ['What was seen has no sign', {}, undefined, 0],
])('%s: a row has one sign of what is unread', (_, more, count, dots) => {
  const about = {
    name: 'Bob',
    person: undefined,
    mismatch: null,
    now: new Date(),
    isOpen: false,
    isAmbiguous: false,
    isPinned: false,
    isMarkedUnread: false,
  }
  show(<Row room={room(more)} {...about} />, makeAnswers())
  const row = screen.getByRole('link')
  expect(row.querySelector('.count')?.textContent).toBe(count)
  expect(row.querySelectorAll('.red-dot')).toHaveLength(dots)
})
