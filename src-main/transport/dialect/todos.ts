/** The model's list of what is to be done, as the client keeps it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type TodoItemSchema, TodoStatus } from "../../gen/agent/v1/queries_pb.ts";
import type { Todo } from "../../loop/types.ts";

export const todoStatuses: Readonly<Record<Todo["status"], TodoStatus>> = {
  pending: TodoStatus.PENDING,
  in_progress: TodoStatus.IN_PROGRESS,
  completed: TodoStatus.COMPLETED,
  cancelled: TodoStatus.CANCELLED,
};

export const toTodoItem = ({ id, content, status }: Todo): MessageInitShape<typeof TodoItemSchema> => ({
  id,
  content,
  status: todoStatuses[status],
});
