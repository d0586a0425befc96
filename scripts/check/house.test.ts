import { describe, expect, test } from 'vitest'
import {
  findBrokenLinks,
  findLongFiles,
  findLooseSql,
  findNamesTwice,
  findOldSnapshots,
  findPrivatePlaces,
  findRefusedNames,
  findSideDoors,
  findTierComparisons,
  findUnknownNotes,
} from './house.ts'

const file = (path: string, text = '') => ({ path, text })
const lines = (count: number) => 'x\n'.repeat(count)

describe('the checks of the house', () => {
  test('a file of 301 lines is refused, one of 300, a long test and the schema are not', () => {
    const kept = [file('a.ts', lines(300)), file('a.test.ts', lines(900)), file('server/ground/db/schema/rooms.ts', lines(400))]
    expect(findLongFiles(kept)).toEqual([])
    expect(findLongFiles([...kept, file('client/b.tsx', lines(301))])).toEqual([
      expect.stringMatching(/^client\/b[.]tsx: 301 lines/),
    ])
  })

  test.each([
    'client/utils.ts',
    'server/messageService.ts',
    'client/rooms/base.ts',
    'server/common/rooms.ts',
    'client/DateHelpers.tsx',
  ])('the name %s is refused', (path) => {
    expect(findRefusedNames([file(path)])).toHaveLength(1)
  })

  test('names that only contain a refused word are kept', () => {
    expect(
      findRefusedNames([file('server/ground/db/database.ts'), file('client/metadata.ts'), file('server/ground/http/serve.ts')]),
    ).toEqual([])
  })

  test('a link to a file that is not there is found, outside links and anchors are not followed', () => {
    const text = '[a](docs/protocol.md#p1) [b](https://example.org/x) [c](#here) [d](docs) ![e](docs/gone.png)'
    expect(findBrokenLinks([file('README.md', text), file('docs/protocol.md', '[up](../README.md)')])).toEqual([
      'README.md: the link docs/gone.png leads nowhere',
    ])
  })

  test('a note that no document defines is found', () => {
    const documents = [
      file('docs/protocol.md', '- **P1.** The password\n'),
      file('ARCHITECTURE.md', '- **Commit, then show.** Once\n'),
    ]
    const code = file('client/a.ts', '// [Note: P1, P9] and [Note: Commit, then show] and [Note: P1]')
    expect(findUnknownNotes([...documents, code])).toEqual(['client/a.ts: [Note: P9] is defined nowhere'])
  })

  // The paths are joined from parts, because this file is checked too.
  const path = (...parts: string[]) => parts.join('/')
  test.each([
    path('see ', 'work', 'main'),
    path('in ', 'home', 'eve', 'conclave', 'a.ts'),
    path('as ..', 'shared', 'spec.md says'),
    path('https:', '', 'registry.corp.example', 'zod'),
  ])('"%s" does not get into the repository', (text) => {
    expect(findPrivatePlaces([file('a.md', `first\n${text}`)])).toEqual([expect.stringMatching(/^a[.]md:2: /)])
  })

  test('ordinary words and the public registry are no private places', () => {
    const text = 'at work/life, shared/ground and https://registry.npmjs.org/zod/-/zod.tgz; a network of /worker.js'
    expect(findPrivatePlaces([file('a.md', text)])).toEqual([])
  })

  test('two files of one wing may not have one name; a role, a test and another wing may repeat it', () => {
    const paths = ['chat/files/send.ts', 'chat/messages/send.ts', 'chat/messages/send.test.ts', 'me/account/send.ts']
    const roles = ['chat/files/store.ts', 'chat/messages/store.ts', 'chat/messages/Send.tsx']
    expect(findNamesTwice([...paths, ...roles].map((path) => file(`client/${path}`, '')))).toEqual([
      'client/chat/files/send.ts and client/chat/messages/send.ts have one name',
    ])
  })

  test('a statement outside a store is found; stores, db/ and tests have theirs', () => {
    const text = "export const find = (db: Queryable) => db.execute('select 1')\n"
    const kept = ['rooms/store.ts', 'rooms/store-append.ts', 'ground/db/secrets.ts', 'rooms/rooms.test.ts', 'testing/world.ts']
    expect(findLooseSql(kept.map((path) => file(`server/${path}`, text)))).toEqual([])
    expect(findLooseSql([file('server/chat/rooms/rooms.ts', text), file('server/chat/rooms/storeroom.ts', text)])).toEqual([
      expect.stringMatching(/^server\/chat\/rooms\/rooms[.]ts: db[.]execute/),
      expect.stringMatching(/^server\/chat\/rooms\/storeroom[.]ts: /),
    ])
  })

  test.each([
    "if (user.subscriptionTier === 'free') return",
    "const isPaid = tier !== 'free'",
    "return 'master' === user.subscriptionTier",
    "    case 'premium':",
    "when u.subscription_tier = 'test' then 10",
    "where subscription_tier in ('master', 'premium')",
  ])('%s compares the name of a plan', (line) => {
    expect(findTierComparisons([file('server/a.ts', `first\n${line}`)])).toEqual([expect.stringMatching(/^server\/a[.]ts:2: /)])
    expect(findTierComparisons([file('contract/money/plans.ts', line), file('server/a.test.ts', line)])).toEqual([])
  })

  test('to give somebody a plan, or to ask for a right, is no comparison', () => {
    const lines = [
      "update users set subscription_tier = 'free'",
      "function person(name: string, tier: Tier = 'premium')",
      "hasRight(user.subscriptionTier, 'send')",
      "{ subscriptionTier: 'free' }",
      "if (answer.verdict === 'free') return",
      "config.nodeEnv === 'test'",
    ]
    expect(findTierComparisons([file('server/a.ts', lines.join('\n'))])).toEqual([])
  })

  test('the encryption worker is named by its address, never by its code', () => {
    const address = "import url from '../worker/worker.ts?worker&url'\n"
    expect(findSideDoors([file('client/net/workers.ts', address)])).toEqual([])
    expect(findSideDoors([file('client/app/b.ts', address.replace('?worker&url', ''))])).toHaveLength(1)
  })

  test('of the snapshots of migrations only the newest is kept', () => {
    const at = (number: string) => file(`server/ground/db/migrations/meta/${number}_snapshot.json`, '{}')
    expect(findOldSnapshots([at('0012'), file('server/ground/db/migrations/meta/_journal.json', '{}')])).toEqual([])
    expect(findOldSnapshots([at('0012'), at('0011')])).toEqual([expect.stringContaining('meta/0011_snapshot.json')])
  })
})
