import { describe, expect, test } from 'vitest'
import { findFolderCycles, findRootImports } from './folders.ts'

const importing = (path: string, ...targets: string[]) => ({
  path,
  text: targets.map((target, at) => `import { a${at} } from '${target}'\n`).join(''),
})

const tidy = [
  importing('server/app.ts', './rooms/routes.ts', './messages/routes.ts'),
  importing('server/env.ts', './chat/rooms/batch.ts'),
  importing('server/chat/messages/messages.ts', '../rooms/members.ts', '../env.ts'),
  importing('server/chat/rooms/members.ts', '../env.ts', './store.ts'),
  importing('server/chat/rooms/rooms.test.ts', '../messages/messages.ts', '../testing/world.ts'),
  importing('server/testing/world.ts', '../rooms/batch.ts'),
  importing('client/rooms/Rooms.tsx', '../ui/Button.tsx'),
]

describe('folders that need each other', () => {
  test('a house whose folders lie one above the other passes; tests, app.ts and env.ts are no folder', () => {
    expect(findFolderCycles(tidy)).toEqual([])
  })

  test('two folders that import each other are found once, by the files that do it', () => {
    const planted = importing('server/chat/rooms/shownMessage.ts', '../messages/status.ts')
    expect(findFolderCycles([...tidy, planted])).toEqual([
      expect.stringContaining('server/chat/messages/messages.ts imports server/chat/rooms/members.ts'),
    ])
    expect(findFolderCycles([...tidy, planted])[0]).toContain(
      'server/chat/rooms/shownMessage.ts imports server/chat/messages/status.ts',
    )
  })

  test('a circle of three folders is found, also by types, on both ends', () => {
    const circle = [
      importing('client/chat/messages/messageWindow.ts', '../search/search.ts'),
      { path: 'client/chat/search/search.ts', text: "import type {\n  Room,\n} from '../../rooms/log/catchUp.ts'\n" },
      importing('client/rooms/log/catchUp.ts', '../../chat/messages/messageWindow.ts'),
    ]
    expect(findFolderCycles([...tidy, ...circle])).toHaveLength(1)
    expect(findFolderCycles([...tidy, ...circle.slice(1)])).toEqual([])
  })

  test('env.ts names types of folders, and nothing below the folders runs their code', () => {
    const env = {
      path: 'server/env.ts',
      text: "import type {\n  Batch,\n} from './chat/rooms/batch.ts'\nimport { z } from 'zod'\n",
    }
    const above = ['main', 'everyjob', 'sockets'].map((name) => importing(`server/${name}.ts`, './chat/rooms/batch.ts'))
    expect(findRootImports([env, ...above, ...tidy.slice(0, 1)])).toEqual([])
    const planted = { path: 'server/env.ts', text: "import {\n  makeBatch,\n} from './chat/rooms/batch.ts'\n" }
    expect(findRootImports([planted, importing('server/refuse.ts', './ground/http/errors.ts')])).toEqual([
      expect.stringContaining('server/env.ts runs chat/rooms/batch.ts'),
      expect.stringContaining('server/refuse.ts runs ground/http/errors.ts'),
    ])
  })
})
