//! What the methods find, and what that teaches. The methods are reproduced, not the papers' collections: theirs are web pages and
//! student papers of hundreds of words, ours are posts, titles, and the histories of documents.
//!
//! The figures are in `benches/RESULTS.md`, "The papers' tables again" and "The methods on 30 000 texts". Make them for a collection of
//! your own:
//!
//! ```sh
//! quchong reproduce history.jsonl
//! quchong evaluate posts.jsonl --sample 30000 --truth indel:0.8 --engine catalogue --normalise all,-punctuation
//! ```
//!
//! # What holds
//! - *Decomposition is first*, on documents as in the paper, and on posts of more than 40 characters. MD5 is the strictest.
//! - *3+2 finds a little more than 3+5*. On documents N = 2 beats N = 3; few posts have five sentences, so that the two hardly differ there.
//! - *36 functions find more than 84*: 84 ask for more.
//! - *K1 has the lowest precision.* K4 and K6 are the most precise of Kosinov's.
//!
//! # What does not
//! - *3+5 is not far ahead of other methods on posts, and Long Sent is not second.* A post is one to three sentences: two of them are
//!   nearly all of it, and one changed word changes one.
//! - *Megashingles are not the last but one.* Copies of web pages differ in many places (menus, dates, advertisements), copies of posts in one.
//! - *Kosinov's counts are no signature of short Chinese texts.* Chinese words are one to four characters long and there are no blanks,
//!   so that K1, K2, K3 and K5 collide.
//! - *The paper's Bloom rule finds more false pairs than true ones* among short posts: its bits are few for so many texts.
//!
//! # What it teaches
//! 1. **Pre-processing matters more than the method.** Taking the wrapping off (topics, emoji, mentions) gains more than lies between most
//!    methods: as the posts come, most of TF's false pairs are posts of little but a topic and emoji, whose words are those of the topic.
//! 2. **One digest is enough where copies are exact**, as in headlines: a title comes back as it was.
//! 3. **Three words are not enough.** I-Match, Lex Rand and descriptor words leave most headlines unsigned, or alike by chance.
//! 4. **Small edits need many chances**: MinHash of character pairs finds most of the true pairs of posts, more than any method that signs
//!    words. The repeat rule, which compares texts and knows what a fact is, is the best on labelled pairs, where nothing is equal.
//! 5. **Similarity is not repetition.** Most of the rule's false pairs under a truth by similarity are posts of nothing but the same
//!    topic, a repeat to a reader, with other emoji. It also takes a quote (B inside A) and moved passages for repeats, and Indel
//!    similarity does not.
