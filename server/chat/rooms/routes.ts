import type { FastifyInstance } from 'fastify'
import { archiveApi } from '../../../contract/chat/archive.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { serve, serveJson } from '../../ground/http/serve.ts'
import { listKeysLeft, listPages, putPage, readPage } from './archive.ts'
import { addArchiveKeys, appendCommit, readArchiveKeys, replaceGroupInfo } from './commits.ts'
import { openNotes } from './notes.ts'
import { readList } from './readList.ts'
import { claimKeyPackages, readGroup, readLog } from './rooms.ts'

export function roomRoutes(app: FastifyInstance, env: Env) {
  serveJson(app, env, roomsApi.list, (user, asked) => readList(env, user, asked))
  serve(app, env, roomsApi.openNotes, (user) => openNotes(env, user))
  serve(app, env, roomsApi.group, (user, { chatRoomId }) => readGroup(env, user, chatRoomId))
  serve(app, env, roomsApi.log, (user, { chatRoomId, after, limit }) => readLog(env, user, chatRoomId, after, limit))
  serve(app, env, roomsApi.commit, (user, draft) => appendCommit(env, user, draft))
  serve(app, env, roomsApi.claimKeyPackages, (user, { chatRoomId, generation }) =>
    claimKeyPackages(env, user, chatRoomId, generation),
  )
  serve(app, env, roomsApi.archiveKeys, (user, { chatRoomId, groupId, epochs }) =>
    readArchiveKeys(env, user, chatRoomId, groupId, epochs),
  )
  serve(app, env, roomsApi.addArchiveKeys, (user, { chatRoomId, keys }) => addArchiveKeys(env, user, chatRoomId, keys))
  serve(app, env, archiveApi.pages, (user, { chatRoomId }) => listPages(env, user, chatRoomId))
  serve(app, env, archiveApi.page, (user, { chatRoomId, number, version }) => readPage(env, user, chatRoomId, number, version))
  serve(app, env, archiveApi.putPage, (user, page) => putPage(env, user, page))
  serve(app, env, archiveApi.keysLeft, (user, { chatRoomId }) => listKeysLeft(env, user, chatRoomId))
  serve(app, env, roomsApi.replaceGroupInfo, (user, found) => replaceGroupInfo(env, user, found))
}
