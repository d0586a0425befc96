import type { Contact } from '../../../contract/chat/contacts.ts'

/** What a request's row says of the messages that came with it, which are opened once it is accepted. */
export const waitingWords = (count: number): string =>
  count === 0 ? 'Wants to write to you' : count === 1 ? '1 message waiting' : `${count} messages waiting`

export const addedWords = (text: string, { hasAnswered, contactUser }: Pick<Contact, 'hasAnswered' | 'contactUser'>) => ({
  title: 'Contact added',
  text: hasAnswered ? text : `${text}\nRequest sent. @${contactUser.username.toLowerCase()} has not answered yet.`,
})
