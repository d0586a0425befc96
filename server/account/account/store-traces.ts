import { and, eq, inArray, ne, notInArray, or, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../ground/db/connect.ts'
import { retiredNames, users } from '../../ground/db/schema/account.ts'
import { archivePages, chatLocks } from '../../ground/db/schema/chatlocks.ts'
import { contactCodeUses, contactQrCodes } from '../../ground/db/schema/codes.ts'
import { contacts, listFloors, uncountedRooms } from '../../ground/db/schema/contacts.ts'
import {
  books,
  devices,
  keyPackages,
  keyrings,
  manifests,
  manifestVersions,
  shownManifests,
} from '../../ground/db/schema/devices.ts'
import { masterInvitations } from '../../ground/db/schema/family.ts'
import { inbox, inboxes } from '../../ground/db/schema/inbox.ts'
import { passkeys } from '../../ground/db/schema/passkeys.ts'
import { quietHours } from '../../ground/db/schema/push.ts'
import { reports } from '../../ground/db/schema/reports.ts'
import { archiveKeys, chatParticipants, chatRooms, keyBytes } from '../../ground/db/schema/rooms.ts'

// The data of an account in every table. Lock its rooms and then its row before calling these functions.

/** Returns the accounts that list this one, as a contact or as a request. */
export async function findListing(tx: Queryable, userId: string): Promise<string[]> {
  const rows = await tx
    .select({ userId: contacts.userId })
    .from(contacts)
    .where(and(eq(contacts.contactUserId, userId), ne(contacts.state, 'declined')))
  return rows.map((row) => row.userId)
}

/** Deletes the account's keys, passkeys, chat passwords, devices, key packages and book, and the claims of rooms that are about to be closed. */
export async function deleteKeys(tx: Queryable, userId: string, roomIds: string[]): Promise<void> {
  await tx.delete(archiveKeys).where(and(eq(archiveKeys.userId, userId), isIn(archiveKeys.room, roomIds)))
  const closing = tx.select({ id: chatRooms.id }).from(chatRooms).where(isDirect(roomIds))
  await tx.delete(keyPackages).where(or(eq(keyPackages.claimedBy, userId), inArray(keyPackages.claimedRoom, closing)))
  await tx.delete(shownManifests).where(or(eq(shownManifests.viewerId, userId), eq(shownManifests.userId, userId)))
  for (const table of [devices, keyrings, manifests, manifestVersions, books, passkeys, chatLocks, archivePages, keyBytes])
    await tx.delete(table).where(eq(table.userId, userId))
}

/** Runs before what writes list_floors, which `raise` of the inbox locks last. */
export async function deleteInbox(tx: Queryable, userId: string): Promise<void> {
  for (const table of [inboxes, inbox]) await tx.delete(table).where(eq(table.userId, userId))
}

/** Deletes the account's own contact list and codes, and its requests and uses of codes that others have not accepted. */
export async function deleteContacts(tx: Queryable, userId: string): Promise<void> {
  const isUnanswered = and(eq(contacts.contactUserId, userId), ne(contacts.state, 'accepted'))
  await tx.delete(contacts).where(or(eq(contacts.userId, userId), isUnanswered))
  await tx.delete(uncountedRooms).where(eq(uncountedRooms.userId, userId))
  await tx.delete(contactCodeUses).where(or(eq(contactCodeUses.ownerId, userId), eq(contactCodeUses.userId, userId)))
  await tx.delete(contactQrCodes).where(eq(contactQrCodes.userId, userId))
  // Leaving groups and deleting contacts write it.
  await tx.delete(listFloors).where(eq(listFloors.userId, userId))
}

/** Deletes the reports that the account has made. Those of it stay for the administration until they are too old. */
export async function deleteReports(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(reports).where(eq(reports.reporterId, userId))
}

/** Ends the account's family circle, with its invitations. Returns those who were in it. */
export async function endFamily(tx: Queryable, userId: string): Promise<string[]> {
  await tx.delete(masterInvitations).where(eq(masterInvitations.masterUserId, userId))
  const none = { masterAccountId: null, isMasterInvitee: false, invitedByMaster: null, inviteeJoinedAt: null }
  const freed = await tx
    .update(users)
    .set({ ...none, showsFamilyOnline: false })
    .where(eq(users.masterAccountId, userId))
    .returning({ id: users.id })
  return freed.map(({ id }) => id)
}

/** Deletes what the account has chosen about pushes. Its subscriptions go with its sessions. */
export async function deleteQuietHours(tx: Queryable, userId: string): Promise<void> {
  await tx.delete(quietHours).where(eq(quietHours.userId, userId))
}

/** Runs before what writes or deletes members of these rooms. Marks lock members by key, without the rooms. */
export async function lockMembers(tx: Queryable, roomIds: string[]): Promise<void> {
  await tx.execute(sql`
    select from ${chatParticipants} where ${isOneOf(chatParticipants.chatRoomId, roomIds)}
    order by ${chatParticipants.chatRoomId}, ${chatParticipants.userId} for no key update`)
}

/** Closes the direct rooms that the other person still lists, and deletes the other direct rooms with all their data. */
export async function closeDirectRooms(tx: Queryable, userId: string, roomIds: string[]): Promise<void> {
  const kept = tx.select({ id: contacts.chatRoomId }).from(contacts).where(eq(contacts.contactUserId, userId))
  await tx.delete(chatRooms).where(and(isDirect(roomIds), notInArray(chatRooms.id, kept)))
  await tx.update(chatRooms).set({ isClosed: true }).where(isDirect(roomIds))
  const unmarked = {
    ...{ deliveredSeq: 0, readSeq: 0, deliveredAt: null, readAt: null, unreadCount: 0 },
    ...{ mutedUntil: null, shownDeliveredSeq: null, shownReadSeq: null, isProtected: false },
    // What the other person clears is then read by nobody any more.
    clearedSeq: sql`(select last_seq from chat_rooms r where r.id = ${chatParticipants.chatRoomId})`,
  }
  await tx.update(chatParticipants).set(unmarked).where(eq(chatParticipants.userId, userId))
}

/** Removes the account from all other rooms. A room without members is deleted. */
export async function leaveGroups(tx: Queryable, userId: string, roomIds: string[]): Promise<void> {
  const groups = and(isOneOf(chatRooms.id, roomIds), ne(chatRooms.type, 'direct'))
  const left = tx.select({ id: chatRooms.id }).from(chatRooms).where(groups)
  await tx.delete(chatParticipants).where(and(eq(chatParticipants.userId, userId), inArray(chatParticipants.chatRoomId, left)))
  const members = tx
    .select({ id: chatParticipants.chatRoomId })
    .from(chatParticipants)
    .where(isOneOf(chatParticipants.chatRoomId, roomIds))
  await tx.delete(chatRooms).where(and(groups, notInArray(chatRooms.id, members)))
  // The account's devices know the keys of this epoch, so no more is sealed to it [Note: D3].
  await tx.update(chatRooms).set({ needsCommit: true }).where(groups)
}

interface Tombstone {
  username: string
  passwordHash: Buffer
  passwordSalt: Buffer
  /** First instant of the UTC month of `now`. */
  month: Date
  now: Date
}

/**
 * Turns the account into the row that others' messages refer to. It sets every column, so a new column needs a decision here; those
 * of the room list's changes are written by triggers.
 */
export async function buryAccount(tx: Queryable, userId: string, { month, now, ...secrets }: Tombstone): Promise<void> {
  const row: Required<Omit<typeof users.$inferInsert, 'id' | 'profileChangedIn' | 'photoChangedIn'>> = {
    ...secrets,
    displayName: 'Deleted account',
    ...{ onionAddress: null, publicKey: null, kitHash: null, avatar: null, email: null, profileImageUrl: null },
    ...{ showsPresence: false, showsLastSeen: false, showsTyping: false, showsReceipts: false, ringsClosed: false },
    ...{ hasBiometrics: false, biometricEnabled: false },
    ...{ isAdmin: false, isActive: false, deactivatedAt: null, deactivatedBy: null },
    ...{ subscriptionTier: 'free', subscriptionStatus: 'active', subscriptionStartDate: null, subscriptionEndDate: null },
    ...{ subscriptionPackageId: null, preferredCryptoCurrency: 'bitcoin', cryptoWalletAddress: null },
    ...{ masterAccountId: null, isMasterInvitee: false, invitedByMaster: null, inviteeJoinedAt: null },
    ...{
      showsFamilyOnline: false,
      monthlyMessagesCount: 0,
      monthlySilentCount: 0,
      usageResetDate: month,
      createdAt: now,
      deletedAt: now,
    },
  }
  await tx.update(users).set(row).where(eq(users.id, userId))
}

export async function retireName(tx: Queryable, nameHash: Buffer): Promise<void> {
  await tx.insert(retiredNames).values({ nameHash }).onConflictDoNothing()
}

export async function isRetired(db: Queryable, nameHash: Buffer): Promise<boolean> {
  return (await db.$count(retiredNames, eq(retiredNames.nameHash, nameHash))) > 0
}

// An array is one parameter, so the statement's text does not depend on its length.
const isOneOf = (column: PgColumn, ids: string[]) => sql`${column} = any(${sql.param(ids)}::text[])`

const isIn = (room: PgColumn, ids: string[]) =>
  sql`${room} = any(array(select number from chat_rooms where id = any(${sql.param(ids)}::text[])))`

const isDirect = (roomIds: string[]) => and(isOneOf(chatRooms.id, roomIds), eq(chatRooms.type, 'direct'))
