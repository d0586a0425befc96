import type { FastifyInstance } from 'fastify'
import { accountApi } from '../../../contract/account/account.ts'
import { passkeysApi } from '../../../contract/account/passkeys.ts'
import { recoveryApi } from '../../../contract/account/recovery.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import type { Env } from '../../env.ts'
import { serve, serveAnyone } from '../../ground/http/serve.ts'
import { listPasskeys } from '../../identity/passkeys/passkeys.ts'
import { currentUser, logout } from './account.ts'
import { changePassword } from './change.ts'
import { makeKeys } from './keys.ts'
import { login, passwordSalt } from './login.ts'
import { loginByPasskey, loginChallenge } from './loginByPasskey.ts'
import { usernameAvailable } from './names.ts'
import { addPasskey, registrationChallenge, removePasskey, renamePasskey, setBiometric } from './passkeys.ts'
import { setPhoto } from './photo.ts'
import { updateProfile } from './profile.ts'
import { loginByKit, recover, recoveryBook } from './recovery.ts'
import { register } from './register.ts'
import { type LockLeaving, removeAccount } from './remove.ts'
import { stepUp, stepUpOptions } from './stepup.ts'

export function accountRoutes(app: FastifyInstance, env: Env, lockLeaving: LockLeaving) {
  serveAnyone(app, env, accountApi.salt, (visitor, { username }) => passwordSalt(env, visitor, username))
  serveAnyone(app, env, accountApi.register, (visitor, form) => register(env, visitor, form))
  serveAnyone(app, env, accountApi.login, (visitor, credentials) => login(env, visitor, credentials))
  serveAnyone(app, env, recoveryApi.loginByKit, (visitor, kit) => loginByKit(env, visitor, kit))
  serveAnyone(app, env, accountApi.logout, (visitor, { removeKeys }) => logout(env, visitor, removeKeys ?? false))
  serveAnyone(app, env, accountApi.usernameAvailable, (visitor, { username }) => usernameAvailable(env, visitor, username))
  serve(app, env, accountApi.user, (user) => currentUser(env, user))
  serve(app, env, accountApi.updateProfile, (user, profile) => updateProfile(env, user, profile))
  serve(app, env, accountApi.setPhoto, (user, { profileImageURL }) => setPhoto(env, user, profileImageURL))
  serve(app, env, recoveryApi.recoveryBook, (user, form) => recoveryBook(env, user, form))
  serve(app, env, recoveryApi.recover, (user, form, caller) => recover(env, user, form, caller))
  serve(app, env, accountApi.changePassword, (user, form, caller) => changePassword(env, user, form, caller))
  serve(app, env, accountApi.remove, (user, form, caller) => removeAccount(env, user, form, { caller, lockLeaving }))
  serve(app, env, accountApi.makeKeys, (user, form) => makeKeys(env, user, form))
  serve(app, env, stepUpApi.options, (user, _input, caller) => stepUpOptions(env, user, caller))
  serve(app, env, stepUpApi.confirm, (user, form, caller) => stepUp(env, user, form, caller))
  serveAnyone(app, env, passkeysApi.loginChallenge, (visitor) => loginChallenge(env, visitor))
  serveAnyone(app, env, passkeysApi.login, (visitor, form) => loginByPasskey(env, visitor, form))
  serve(app, env, passkeysApi.list, (user) => listPasskeys(env, user))
  serve(app, env, passkeysApi.challenge, (user) => registrationChallenge(env, user))
  serve(app, env, passkeysApi.add, (user, form, caller) => addPasskey(env, user, form, caller))
  serve(app, env, passkeysApi.rename, (user, form, caller) => renamePasskey(env, user, form, caller))
  serve(app, env, passkeysApi.remove, (user, form, caller) => removePasskey(env, user, form, caller))
  serve(app, env, passkeysApi.setBiometric, (user, form, caller) => setBiometric(env, user, form, caller))
}
