//! Finds where, in the last clause of a text, the end may be another fill of a template: 您的预约申请已经收到，负责人是张三丰 / 您的预约申请已经收到，负责人是李四光.

use super::text_kind::asks;
use crate::text::GistView;
use crate::text::tokens::View;

/// Returns the earliest token at which another fill of a template may begin at the end of a text, as in 负责人是李四光. It is after the first
/// token of the last clause, because a whole clause at the end (转给家人, 拒收请回复) closes a message. If that clause asks (如何看待此事), it is the end
/// of the text.
pub(crate) fn ending(text: GistView<'_>) -> usize {
    let list = text.body.list;
    let start = text.clause_ends().rev().find(|at| *at < list.len()).unwrap_or_default();
    let last = GistView { body: View { list: &list[start..], ..text.body }, breaks: &[], ..text };
    if asks(last) { list.len() } else { start + 1 }
}
