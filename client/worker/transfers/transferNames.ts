/** `transfer:<room id>:<transfer id>` */
export const TRANSFERS = 'transfer:'
export const transfersIn = (chatRoomId: string): string => `${TRANSFERS}${chatRoomId}:`
